import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { act, actFromMenu, button, eventually, openConversation, turn, userMessage } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

/** How many entries the menu that is opened next has, whenever that changes. */
async function recordMenu(page: Page): Promise<() => Promise<readonly number[]>> {
  const counts = await page.evaluateHandle(() => {
    const seen: number[] = [];
    const look = (): void => {
      const count = document.querySelectorAll('[role="menu"] .menu-item').length;
      if (count > 0 && count !== seen.at(-1)) seen.push(count);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    return seen;
  });
  return () => counts.jsonValue();
}

describe('what is kept beside messages', () => {
  it('WEB-441: a star and a note are given, seen beside the message, listed, found and followed', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say Forty metres.', '/sim say Thirty.']);
    const { client } = stage.server;
    await act(turn(page, 1).locator('.reply'), en['kept.star']);
    await turn(page, 1).locator('.reply .kept-card').getByText(en['kept.starred']).waitFor();
    await actFromMenu(page, userMessage(page, 1), en['kept.edit']);
    const dialog = page.getByRole('dialog', { name: en['kept.edit.title'] });
    await dialog.getByLabel(en['kept.note']).fill('Ask the quokka again');
    await dialog.getByLabel(en['kept.bookmark']).fill('The good one');
    await expectAccessible(page, 'a note being written');
    await button(dialog, en['kept.save']).click();
    const card = userMessage(page, 1).locator('.kept-card');
    await card.getByText('Ask the quokka again').waitFor();
    await card.getByText('The good one').waitFor();
    const kinds = async () => (await client.projectAnnotations(projectId)).annotations.map(({ kind }) => kind).sort();
    expect(await kinds()).toEqual(['bookmark', 'note', 'star']);
    await expectAccessible(page, 'a conversation with a star and a note');

    await page.getByRole('link', { name: en['kept.title'] }).click();
    await page.getByRole('heading', { name: en['kept.title'] }).waitFor();
    const entries = page.locator('.kept-entry');
    await eventually(() => entries.count()).toBe(3);
    await expectAccessible(page, 'the list of stars and notes');
    await button(page, en['kept.kind.star']).click();
    await eventually(() => entries.count()).toBe(1);
    await entries.locator('.kept-message').getByText('Forty metres.', { exact: true }).click();
    await page.waitForURL((url) => url.pathname.endsWith('/b/main') && url.searchParams.has('node'));
    await turn(page, 1).locator('.reply[data-highlighted]').waitFor();

    await act(turn(page, 1).locator('.reply'), en['kept.unstar']);
    await turn(page, 1).locator('.reply .kept-card').waitFor({ state: 'detached' });
    expect(await kinds()).toEqual(['bookmark', 'note']);
  });

  it('WEB-776: the menu of a message has all of its entries from the first moment', async () => {
    const { page } = await openConversation(stage, ['/sim say Forty metres.']);
    await button(userMessage(page, 1), en['kept.star']).waitFor();
    const counts = await recordMenu(page);
    await act(userMessage(page, 1), en['reply.more']);
    await page.getByRole('menuitem', { name: en['kept.edit'] }).waitFor();
    expect(await counts()).toHaveLength(1);
  });

  it('WEB-442: replies are judged without their names; then names, verdicts and results are seen', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say Forty metres.']);
    const { client } = stage.server;
    const { groups } = await client.history(projectId, { ref: 'main' });
    const reply = groups[0]?.reply[0]?.id ?? '';
    const { turns } = await client.regenerate(projectId, { ref: 'main', nodeId: reply });
    for (const { turnId } of turns) await (await client.turnStream(projectId, turnId, 0)).text();
    await page.goto(`${new URL(page.url()).origin}/p/${projectId}/b/main/versions/${reply}`);
    const columns = page.locator('.versions > section');
    await eventually(() => columns.count()).toBe(2);
    const facts = columns.first().locator('small');
    const named = await facts.innerText();
    const [model = ''] = named.split(' · ');
    expect(model).not.toBe('');
    await page.getByRole('checkbox', { name: en['judge.blind'] }).check();
    await columns.first().getByText(en['judge.hidden']).waitFor();
    expect(await page.locator('.versions').innerText()).not.toContain(model);
    await expectAccessible(page, 'a blind comparison');
    // By itself: the names of the others stay hidden.
    const why = page.getByRole('textbox', { name: en['judge.reason'] });
    await why.fill('too short');
    const bad = button(columns.nth(1), en['kept.mark.bad']);
    await bad.click();
    await eventually(() => bad.getAttribute('aria-pressed')).toBe('true');
    await eventually(() => why.inputValue()).toBe('');
    expect(await page.locator('.versions').innerText()).not.toContain(model);
    await why.fill('clearer');
    await button(columns.first(), en['judge.better']).click();
    await facts.getByText(model).waitFor();
    await page.locator('.versions .badge').getByText(en['kept.verdict.better']).waitFor();
    await page.locator('.versions .badge').getByText(en['kept.verdict.worse']).waitFor();
    const { annotations } = await client.projectAnnotations(projectId);
    expect(annotations.map(({ verdict, blind, text }) => `${verdict} ${blind} ${text}`).toSorted()).toEqual([
      'bad true too short',
      'better true clearer',
      'worse true ',
    ]);
    await page.goto(`${new URL(page.url()).origin}/diagnostics`);
    const results = page.getByRole('region', { name: en['judge.title'] });
    await results.getByRole('row').nth(1).waitFor();
    await expectAccessible(page, 'how models fared');
  });
});
