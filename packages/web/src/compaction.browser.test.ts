import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { gatewayClient } from './testing/gateway-client.ts';
import { actFromMenu, button, ended, openConversation, reply, send, userMessage } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

describe('summaries', () => {
  it('WEB-360: a summary takes the place of messages after its price was told, and opens to what it replaced', async () => {
    stage.allow(/502/, /ERR_ABORTED/);
    const { page, projectId } = await openConversation(
      stage,
      ['fact sea is deep', '/sim say second', '/sim say third'],
      {
        model: 'sim-bound',
        provider: 'simulated',
      },
    );
    await actFromMenu(page, reply(page, 2), en['compact.open']);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/stands for 4 messages in 2 turns/).waitFor();
    await dialog.getByText(/tokens in the next request/).waitFor();
    await expectAccessible(page, 'what a summary would do');
    // What is asked for can be changed; a summary that fails changes nothing and says so.
    const words = dialog.getByRole('textbox', { name: en['compact.instruction'] });
    await words.fill('/sim unsummarised /sim refuse');
    await button(dialog, en['compact.save']).click();
    await dialog.getByText(/The model refused/).waitFor();
    expect((await stage.server.client.listBranches(projectId)).branches).toHaveLength(1);
    // One that is being written can be stopped.
    await words.fill('/sim unsummarised /sim fault stall 1');
    await button(dialog, en['compact.save']).click();
    await dialog.getByText('is writing the summary', { exact: false }).waitFor();
    await button(dialog, en['dialog.cancel']).click();
    await dialog.getByText(en['compact.cancelled']).waitFor();
    expect((await stage.server.client.listBranches(projectId)).branches).toHaveLength(1);
    await words.fill('Keep the facts.');
    await button(dialog, en['compact.save']).click();

    const card = page.getByRole('region', { name: en['summary.title'] });
    await card.getByText(/fact sea is deep/).waitFor();
    await userMessage(page, 1).getByText('/sim say third').waitFor();
    expect(await page.locator('.turn').getByText('fact sea is deep').count()).toBe(0);
    await expectAccessible(page, 'a summary in a conversation');
    await send(page, '/sim recall sea');
    await ended(page, 2);
    await reply(page, 2)
      .getByText(/it was deep/)
      .waitFor();

    await button(card, 'Show the 4 messages').click();
    await userMessage(page, 1).getByText('fact sea is deep').waitFor();
    await button(card, 'Hide the 4 messages').click();
    await userMessage(page, 1).getByText('/sim say third').waitFor();
    await button(card, en['summary.takeBack']).click();
    await card.waitFor({ state: 'detached' });
    await userMessage(page, 1).getByText('fact sea is deep').waitFor();
  });

  it('WEB-792: beyond a budget the page asks; a summary says how it was made and what that cost', async () => {
    stage.allow(/402/);
    const { page, projectId } = await openConversation(stage, ['/sim say first', '/sim say second']);
    await stage.server.client.setBudget('tight', { project: projectId, tokens: 1 });
    await actFromMenu(page, reply(page, 2), en['compact.open']);
    const dialog = page.getByRole('dialog', { name: en['compact.title'] });
    await dialog.getByText(/stands for 4 messages/).waitFor();
    await button(dialog, en['compact.save']).click();
    const question = page.getByRole('dialog', { name: en['budgets.over.title'] });
    await button(question, en['dialog.cancel']).click();
    await question.waitFor({ state: 'detached' });
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect((await stage.server.client.listBranches(projectId)).branches).toHaveLength(1);
    await button(dialog, en['compact.save']).click();
    await button(question, en['budgets.over.spend']).click();
    const card = page.getByRole('region', { name: en['summary.title'] });
    await button(card, en['summary.made']).click();
    await card.getByText(/\d+ in · \d+ out/).waitFor();
    await card.getByText('Summarise this conversation so far.', { exact: false }).waitFor();
    await expectAccessible(page, 'how a summary was made');
    await stage.server.client.deleteBudget('tight');
  });

  it('WEB-361: what happens as the window fills up is chosen per branch', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say first']);
    await actFromMenu(page, reply(page, 1), en['compact.open']);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(en['compact.full.on'], { exact: true }).click();
    await dialog.getByRole('combobox').selectOption('0.6');
    await expect
      .poll(async () => (await stage.server.client.listBranches(projectId)).branches[0]?.compacting)
      .toEqual({ mode: 'on', share: 0.6 });
  });

  it('WEB-602: where a client summarised its own history the page says so, and leads to what it replaced', async () => {
    const client = gatewayClient(stage.server.url, 'own summary');
    const first = await client.say('/sim say all about leaves');
    await first.whole;
    const after = gatewayClient(stage.server.url, 'own summary');
    const text = 'This session is being continued from a previous conversation. It was about leaves.';
    await (
      await after.say(`${text} /sim say going on`)
    ).whole;
    const { branches } = await stage.server.client.listBranches(first.projectId);
    const compacted = branches.find(({ recorded }) => recorded?.because === 'compacted');
    expect(branches).toHaveLength(2);
    const page = await stage.open(`/p/${first.projectId}/b/${encodeURIComponent(compacted?.name ?? '')}`);
    const card = page.getByRole('region', { name: en['summary.client.title'] });
    await card.getByText('Claude Code 2.1.325 put a summary in place of its history.', { exact: false }).waitFor();
    await userMessage(page, 1).getByText('It was about leaves.', { exact: false }).waitFor();
    await expectAccessible(page, 'the summary of a client');
    await button(card, en['summary.client.open']).click();
    await reply(page, 1).getByText('all about leaves').waitFor();
    await card.waitFor({ state: 'detached' });
  });
});
