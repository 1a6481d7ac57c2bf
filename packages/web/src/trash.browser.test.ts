import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  actFromMenu,
  branchLink,
  button,
  eventually,
  onBranch,
  openConversation,
  replyText,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

const undoNotice = (page: Page) => page.locator('.undo');

async function deleteFromRow(page: Page, name: string, what: 'branches.delete' | 'projects.delete'): Promise<void> {
  await page.getByRole('button', { name: `${en['reply.more']}: ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: en[what], exact: true }).click();
  await button(page.getByRole('dialog', { name: en[what] }), en[what]).click();
}

describe('deleting', () => {
  it('WEB-60: the dialog names how many messages go, and from which branches', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two', '/sim say three']);
    const { client } = stage.server;
    const { nodes } = await client.graph(projectId);
    await client.createBranch(projectId, { name: 'side', fromNodeId: nodes[3]?.id ?? '' });
    await client.createBranch(projectId, { name: 'early', fromNodeId: nodes[1]?.id ?? '' });
    await branchLink(page, 'early').waitFor();
    await actFromMenu(page, userMessage(page, 2), en['reply.delete']);
    const dialog = page.getByRole('dialog', { name: en['reply.delete'] });
    await button(dialog, 'Delete 4 messages on 2 branches').waitFor();
    expect(await dialog.locator('.losses li').allInnerTexts()).toEqual([
      expect.stringMatching(/^main\s+4 messages$/),
      expect.stringMatching(/^side\s+2 messages$/),
    ]);
    await expectAccessible(page, 'the question before deleting');
    await button(dialog, en['dialog.cancel']).click();
    expect((await client.graph(projectId)).nodes.length).toBe(nodes.length);
  });

  it('WEB-40: the conversation has the keyboard after what had it was deleted, and after that was undone', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two']);
    await stage.server.client.createBranch(projectId, { name: 'edge', fromRef: 'main' });
    const hasFocus = (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.classList.contains('conversation') === true);
    const undoByKeyboard = async (): Promise<void> => {
      await button(undoNotice(page), en['undo.button']).focus();
      await page.keyboard.press('Enter');
      await undoNotice(page).waitFor({ state: 'detached' });
      await eventually(hasFocus).toBe(true);
    };
    await actFromMenu(page, userMessage(page, 2), en['reply.delete']);
    await button(page.getByRole('dialog', { name: en['reply.delete'] }), 'Delete 2 messages on 2 branches').click();
    await turn(page, 2).waitFor({ state: 'detached' });
    await eventually(hasFocus).toBe(true);
    await undoByKeyboard();
    await deleteFromRow(page, 'edge', 'branches.delete');
    await branchLink(page, 'edge').waitFor({ state: 'detached' });
    await eventually(hasFocus).toBe(true);
    await stage.server.client.emptyTrash();
  });

  it('WEB-61: a deletion is undone with one click: messages, a branch, a project', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two']);
    const { client } = stage.server;
    const before = await client.graph(projectId);
    await actFromMenu(page, userMessage(page, 2), en['reply.delete']);
    await button(page.getByRole('dialog', { name: en['reply.delete'] }), 'Delete 2 messages').click();
    await turn(page, 2).waitFor({ state: 'detached' });
    await undoNotice(page).getByText('Deleted 2 messages.').waitFor();
    await button(undoNotice(page), en['undo.button']).click();
    await replyText(page, 2).getByText('two', { exact: true }).waitFor();
    await undoNotice(page).waitFor({ state: 'detached' });
    expect(await client.graph(projectId)).toEqual(before);

    await client.createBranch(projectId, { name: 'side' });
    await branchLink(page, 'side').waitFor();
    await deleteFromRow(page, 'side', 'branches.delete');
    await branchLink(page, 'side').waitFor({ state: 'detached' });
    await button(undoNotice(page), en['undo.button']).click();
    await onBranch(page, 'side');
    await branchLink(page, 'side').waitFor();

    await client.updateProject(projectId, { name: 'Deleted by mistake' });
    await page.reload();
    await deleteFromRow(page, 'Deleted by mistake', 'projects.delete');
    await eventually(async () => (await client.listTrash(projectId)).entries.length).toBe(1);
    await button(undoNotice(page), en['undo.button']).click();
    await replyText(page, 2).getByText('two', { exact: true }).waitFor();
  });

  it('WEB-62: the trash lists what was deleted, restores it, and deletes it for good', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two']);
    const { client } = stage.server;
    // The page may be asking about a message at the moment when it is deleted elsewhere.
    stage.allow(/404.*context\/report/);
    const { nodes } = await client.graph(projectId);
    await client.createBranch(projectId, { name: 'side' });
    await client.deleteBranch(projectId, 'side');
    await client.deleteNode(projectId, nodes[2]?.id ?? '', 'cascade');
    await page.getByRole('link', { name: en['trash.title'], exact: true }).click();
    await page.getByRole('heading', { name: en['trash.title'] }).waitFor();
    const row = (text: string) => page.locator('.trash-list li', { hasText: text });
    await row('2 messages: /sim say two').waitFor();
    await expectAccessible(page, 'the trash');
    await button(row('2 messages'), en['trash.restore']).click();
    await row('2 messages').waitFor({ state: 'detached' });
    expect((await client.graph(projectId)).nodes.length).toBe(nodes.length);
    await button(row('side'), en['trash.purge']).click();
    await button(page.getByRole('dialog', { name: en['trash.purge'] }), en['trash.purge']).click();
    await page.getByText(en['trash.empty']).waitFor();
    expect((await client.listTrash()).entries).toEqual([]);
  });

  it('WEB-60: the command that deletes a branch says, too, how many messages no other branch leads to', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    const { client } = stage.server;
    await client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await (await client.chat(projectId, { ref: 'side', message: '/sim say two' })).text();
    await branchLink(page, 'side').click();
    await replyText(page, 2).getByText('two', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: en['palette.title'] }).fill(en['branches.delete']);
    await page.getByRole('option', { name: en['branches.delete'], exact: true }).click();
    const dialog = page.getByRole('dialog', { name: en['branches.delete'] });
    await dialog.getByText(en['branches.delete.alone'].replace('{messages}', '2 messages')).waitFor();
    await button(dialog, en['branches.delete']).click();
    await onBranch(page, 'main');
    await branchLink(page, 'side').waitFor({ state: 'detached' });
  });

  it('WEB-785: whoever deletes another branch or project goes on reading; of the open one, the last used remains', async () => {
    const { client } = stage.server;
    await client.createProject({ name: 'Not being read' });
    const { page, projectId } = await openConversation(stage, ['/sim say one']);
    for (const name of ['older', 'newer', 'side']) await client.createBranch(projectId, { name, fromRef: 'main' });
    for (const name of ['older', 'newer', 'main', 'side'])
      await (await client.chat(projectId, { ref: name, message: `/sim say on ${name}` })).text();
    await replyText(page, 2).getByText('on main', { exact: true }).waitFor();
    await deleteFromRow(page, 'newer', 'branches.delete');
    await branchLink(page, 'newer').waitFor({ state: 'detached' });
    await deleteFromRow(page, 'Not being read', 'projects.delete');
    await page.getByRole('link', { name: 'Not being read', exact: true }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/p/${projectId}/b/main`);
    await branchLink(page, 'side').click();
    await replyText(page, 2).getByText('on side', { exact: true }).waitFor();
    await deleteFromRow(page, 'side', 'branches.delete');
    await onBranch(page, 'main');
    await replyText(page, 2).getByText('on main', { exact: true }).waitFor();
  });

  it('WEB-322: on a phone, buttons that stand one below the other are equally wide', async () => {
    const options = { viewport: { width: 390, height: 844 } };
    const { page, projectId } = await openConversation(stage, ['/sim say one', '/sim say two'], {}, options);
    const { nodes } = await stage.server.client.graph(projectId);
    await stage.server.client.createBranch(projectId, { name: 'side', fromNodeId: nodes.at(-1)?.id ?? '' });
    await page.reload();
    await actFromMenu(page, userMessage(page, 1), en['reply.delete']);
    const dialog = page.getByRole('dialog', { name: en['reply.delete'] });
    await dialog.getByText('side').waitFor();
    const edges = await dialog
      .locator('.dialog-actions > button')
      .evaluateAll((buttons) =>
        buttons.map((each) => each.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })),
      );
    expect(edges.length).toBe(2);
    // They do not fit beside each other.
    expect(edges[0]?.top).not.toBe(edges[1]?.top);
    expect(edges[0]?.left).toBeCloseTo(edges[1]?.left ?? 0, 0);
    expect(edges[0]?.right).toBeCloseTo(edges[1]?.right ?? 0, 0);
  });
});
