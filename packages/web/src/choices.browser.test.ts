import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  actFromMenu,
  button,
  ended,
  eventually,
  openConversation,
  openPanel,
  reply,
  send,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const bodyOf = async (projectId: string) =>
  (await stage.server.client.context(projectId, { ref: 'main' })).request.body;

describe('what models get', () => {
  it('WEB-310: a message is left out after its price was told, says so, and is put back', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say first', '/sim say second'], {
      model: 'sim-bound',
      provider: 'simulated',
    });
    await actFromMenu(page, userMessage(page, 1), en['choose.leaveOut']);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/tokens fewer/).waitFor();
    await dialog.getByText(/reasoning is bound/).waitFor();
    await expectAccessible(page, 'the price of leaving out');
    expect(await bodyOf(projectId)).toContain('/sim say first');
    await button(dialog, 'Leave out (1)').click();
    await userMessage(page, 1).getByText(en['choose.leftOut'], { exact: true }).waitFor();
    expect(await bodyOf(projectId)).not.toContain('/sim say first');
    await send(page, '/sim say third');
    await ended(page, 3);
    await actFromMenu(page, userMessage(page, 1), en['choose.back']);
    await button(dialog, 'Put back (1)').click();
    await userMessage(page, 1).getByText(en['choose.leftOut'], { exact: true }).waitFor({ state: 'detached' });
    expect(await bodyOf(projectId)).toContain('/sim say first');
  });

  it('WEB-311: several at once, from the list of what is sent; pinned messages say so', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say first', '/sim say second']);
    const panel = await openPanel(page, 'context');
    await button(panel, en['choose.several']).click();
    const boxes = panel.getByRole('checkbox');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await expectAccessible(page, 'choosing several');
    await button(panel, en['choose.leaveOut']).click();
    await button(page.getByRole('dialog'), 'Leave out (2)').click();
    await reply(page, 1).getByText(en['choose.leftOut'], { exact: true }).waitFor();
    await eventually(() => bodyOf(projectId)).not.toContain('/sim say first');
    await actFromMenu(page, reply(page, 2), en['choose.pin']);
    await reply(page, 2).getByText(en['choose.pinned'], { exact: true }).waitFor();
    const { branches } = await stage.server.client.listBranches(projectId);
    expect(Object.values(branches[0]?.choices ?? {}).toSorted()).toEqual(['leave_out', 'leave_out', 'pin']);
  });

  it('WEB-312: the result of a tool is left out in its card, and its call stays', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim tools calculator'], { tools: ['calculator'] });
    await reply(page, 1).locator('.tool > summary').first().click();
    await button(reply(page, 1), en['choose.leaveOut']).first().click();
    await button(page.getByRole('dialog'), 'Leave out (1)').click();
    await button(reply(page, 1), en['choose.back']).first().waitFor();
    expect(await bodyOf(projectId)).toContain('[The result was left out.]');
  });

  it('WEB-793: a pin that changes the next request tells its price first; so does taking it back', async () => {
    const said = ['/sim say first', '/sim say second', '/sim say third'];
    const { page, projectId } = await openConversation(stage, said, { model: 'sim-bound', provider: 'simulated' });
    const { client } = stage.server;
    const { groups } = await client.history(projectId, { ref: 'main' });
    const { branch } = await client.compact(projectId, {
      ref: 'main',
      upTo: groups[1]?.reply.at(-1)?.id ?? '',
      name: 'short',
    });
    await page.goto(`${stage.server.url}/p/${projectId}/b/short`);
    const card = page.getByRole('region', { name: en['summary.title'] });
    await button(card, 'Show the 4 messages').click();
    await actFromMenu(page, userMessage(page, 1), en['choose.pin']);
    const dialog = page.getByRole('dialog', { name: en['choose.pin'] });
    await dialog.getByText(/tokens more/).waitFor();
    await dialog.getByText(/reasoning is bound/).waitFor();
    await expectAccessible(page, 'the price of a pin');
    expect((await client.listBranches(projectId)).branches.find(({ id }) => id === branch.id)?.choices).toBeUndefined();
    await button(dialog, 'Pin (1)').click();
    await userMessage(page, 1).getByText(en['choose.pinned'], { exact: true }).waitFor();
    await actFromMenu(page, userMessage(page, 1), en['choose.unpin']);
    const back = page.getByRole('dialog', { name: en['choose.unpin'] });
    await back.getByText(/tokens fewer/).waitFor();
    await button(back, 'Unpin (1)').click();
    await userMessage(page, 1).getByText(en['choose.pinned'], { exact: true }).waitFor({ state: 'detached' });
  });
});
