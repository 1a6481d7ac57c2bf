import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  button,
  ended,
  eventually,
  onBranch,
  openConversation,
  renderedText,
  reply,
  replyText,
} from './testing/page-objects.ts';
import { requestsOf } from './testing/requests.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const WIDE = { viewport: { width: 1800, height: 900 } };

const form = (page: Page): Locator => page.getByRole('form', { name: en['selection.label'] });
const note = (page: Page, question: string): Locator =>
  page.getByRole('region', { name: en['question.label'].replace('{question}', question), exact: true });
/** What the browser marks, in the order of the page. */
const marked = (page: Page, name = 'asked'): Promise<readonly string[]> =>
  page.evaluate(
    (wanted) =>
      [...(CSS.highlights.get(wanted) ?? [])]
        .toSorted((a, b) => (a as Range).compareBoundaryPoints(Range.START_TO_START, b as Range))
        .map(String),
    name,
  );

/** Scrolls up as a reader does, without which the page stays at its end, and clicks on the n-th words asked about. */
async function clickWords(page: Page, number: number): Promise<void> {
  await replyText(page, 1).first().hover();
  await page.mouse.wheel(0, -5_000);
  await eventually(() => page.locator('.conversation').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  const { x, y } = await page.evaluate((at) => {
    const inOrder = [...(CSS.highlights.get('asked') ?? [])].toSorted((a, b) =>
      (a as Range).compareBoundaryPoints(Range.START_TO_START, b as Range),
    );
    const { left, top, width, height } = (inOrder[at] as Range).getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }, number);
  await page.mouse.click(x, y);
}

async function mark(page: Page, word: string): Promise<void> {
  await renderedText(page, 1);
  await replyText(page, 1)
    .getByText(word, { exact: true })
    .dblclick({ position: { x: 10, y: 10 } });
  await form(page).waitFor();
}

it('WEB-720: marked words are asked about where they are; the answer grows beside them and can be stopped', async () => {
  const { page, projectId } = await openConversation(stage, ['/sim say An **oak** grows.', '/sim say two'], {}, WIDE);
  await mark(page, 'oak');
  expect(await marked(page, 'asking')).toEqual(['oak']);
  const field = form(page).getByRole('textbox');
  await field.fill(`/sim slow 150 /sim think 1 200 /sim say Slowly${' and on'.repeat(500)}`);
  await expectAccessible(page, 'asking about marked words');
  await field.press('Escape');
  await form(page).waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('reply');
  // What was typed is there again for the next words.
  await mark(page, 'oak');
  await field.press('Enter');
  const asked = page.locator('.question-note');
  await asked.getByText(en['reasoning.live']).waitFor();
  await asked.getByText('Slowly and on and on').waitFor();
  await form(page).waitFor({ state: 'detached' });
  await onBranch(page, 'main');
  expect(await marked(page)).toEqual(['oak']);
  await expectAccessible(page, 'an answer that grows in the margin');
  const [beside, words] = [await asked.boundingBox(), await reply(page, 1).boundingBox()];
  expect(beside?.x ?? 0).toBeGreaterThanOrEqual((words?.x ?? 0) + (words?.width ?? 0));
  await button(asked, en['composer.stop']).click();
  await asked.getByText(en['reply.interrupted']).waitFor();
  await button(asked, en['question.again']).waitFor();
  const { branches } = await stage.server.client.listBranches(projectId);
  const question = branches.find(({ hidden }) => hidden);
  await button(asked, en['question.open']).click();
  await onBranch(page, question?.name ?? '');
  await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe('composer');
  const after = await stage.server.client.listBranches(projectId);
  expect(after.branches.filter(({ hidden }) => hidden)).toEqual([]);
  await asked.getByText(en['question.here']).waitFor();
  // The message that asks is read as what it asks about, and what it asks.
  await page.locator('.user-quote').getByText('oak', { exact: true }).waitFor();
});

it('WEB-720: a finger marks words, too; where there is no margin the reader is told where the answer is', async () => {
  const paragraphs = Array.from({ length: 12 }, (_, index) => `Ring ${index} of the oak.`).join('\\n\\n');
  const small = { viewport: { width: 390, height: 700 }, hasTouch: true };
  const { page } = await openConversation(stage, [`/sim say ${paragraphs}`, '/sim say two'], {}, small);
  await renderedText(page, 1);
  const words = replyText(page, 1).getByText('Ring 2 of the oak.', { exact: true });
  await words.scrollIntoViewIfNeeded();
  await words.tap();
  // The handles of a phone change the selection, and no other event tells of it.
  await words.evaluate(({ firstChild: text }) => {
    const at = text?.nodeValue?.indexOf('oak') ?? 0;
    if (text !== null) window.getSelection()?.setBaseAndExtent(text, at, text, at + 3);
  });
  await form(page).getByRole('textbox').fill('/sim say It was a dry year.');
  await button(form(page), en['selection.ask.here']).click();
  const told = page.locator('.toast');
  await told.getByText(en['selection.asked.below']).waitFor();
  await onBranch(page, 'main');
  await eventually(() => marked(page)).toEqual(['oak']);
  // Every line has this word: it is the one that was marked.
  expect(
    await page.evaluate(() =>
      [...(CSS.highlights.get('asked') ?? [])].map(({ startContainer: text }) => text.nodeValue),
    ),
  ).toEqual(['Ring 2 of the oak.']);
  await button(told, en['selection.show']).click();
  const head = page.locator('.question-head');
  await eventually(() => head.evaluate((one) => one === document.activeElement)).toBe(true);
  const box = await head.boundingBox();
  expect(box?.y ?? -1).toBeGreaterThan(0);
  expect(box?.y ?? 1_000).toBeLessThan(700);
  await expectAccessible(page, 'a note below a reply');
});

it('WEB-721: a failed answer is asked for again; the note survives a reload, goes to the trash and comes back', async () => {
  const { page } = await openConversation(stage, ['/sim say An **oak** grows.', '/sim say two']);
  await renderedText(page, 1);
  // By the keyboard alone. Where nothing is marked it is the whole reply that the keyboard is in.
  const copy = button(reply(page, 1), en['reply.copy']);
  await copy.focus();
  await page.keyboard.press('Alt+KeyQ');
  await eventually(() =>
    form(page)
      .getByRole('textbox')
      .evaluate((field) => field === document.activeElement),
  ).toBe(true);
  expect((await marked(page, 'asking')).map((text) => text.trim())).toEqual(['An oak grows.']);
  await page.keyboard.press('Escape');
  await eventually(() => copy.evaluate((one) => one === document.activeElement)).toBe(true);
  // What is marked grows with Shift and the arrow keys.
  await page.getByRole('region', { name: en['conversation.label'] }).focus();
  await page.evaluate(() => {
    const words = document.querySelector('.reply-body strong')?.firstChild;
    if (words != null) window.getSelection()?.setBaseAndExtent(words, 0, words, 2);
  });
  await page.keyboard.press('Shift+ArrowRight');
  await form(page).waitFor();
  await page.keyboard.press('Alt+KeyQ');
  const question = '/sim fault 403 x1 /sim say For seven hundred years.';
  await page.keyboard.type(question);
  await page.keyboard.press('Enter');
  await note(page, question).getByText(en['reply.error']).waitFor();
  await button(note(page, question), en['question.again']).click();
  await note(page, question).getByText('For seven hundred years.', { exact: true }).waitFor();
  await eventually(() => marked(page)).toEqual(['oak']);
  // Nobody has to go to its branch to have seen it.
  expect(await page.title()).not.toMatch(/^\(\d/);
  await page.reload();
  await note(page, question).getByText('For seven hundred years.', { exact: true }).waitFor();
  await eventually(() => marked(page)).toEqual(['oak']);
  // No margin here: it stands below the reply, above what is kept beside it and its actions.
  const order = () =>
    reply(page, 1)
      .locator(':scope > *')
      .evaluateAll((all) => all.map((each) => each.className));
  expect(await order()).toEqual(['reply-body', 'question-notes', 'reply-footer']);
  await button(note(page, question), en['question.delete']).click();
  await note(page, question).waitFor({ state: 'detached' });
  expect(await marked(page)).toEqual([]);
  await page.locator('.undo').getByText(en['undo.question']).waitFor();
  await button(page.locator('.undo'), en['undo.button']).click();
  await note(page, question).getByText('For seven hundred years.', { exact: true }).waitFor();
  await onBranch(page, 'main');
});

it('WEB-722: words are found in emphasis, lists and code, the second time too; many notes are a line each', async () => {
  const text =
    'An **oak tree** is old.\\n\\n- an ash\\n- an oak\\n\\n```js\\nconst oak = 700;\\n```\\n\\n$$h = 2r^2$$\\n\\nSee [the oak](https://a.example).';
  const { page, projectId } = await openConversation(stage, [`/sim say ${text}`, '/sim say two'], {}, WIDE);
  const { client } = stage.server;
  const { groups } = await client.history(projectId, { ref: 'main' });
  const nodeId = groups[0]?.reply.at(-1)?.id ?? '';
  const heads = page.locator('.question-head');
  const sent = requestsOf(page);
  const requests = (): readonly string[] => sent.filter((each) => each.endsWith('/questions'));
  await page.reload();
  await ended(page, 2);
  await page.locator('.reply-footer').first().hover();
  expect(requests()).toEqual([]);
  const ask = async (quote: string, more: object = {}) => {
    const { question } = await client.askAbout(projectId, { nodeId, quote, question: `/sim say ${quote}?`, ...more });
    await (await client.turnStream(projectId, question.turnId ?? '', 0)).text();
  };
  await ask('n **oak** tr');
  await ask('oak', { before: 'an ash\nan ', after: '\nconst' });
  await ask('oak = 7');
  await ask('2r^2');
  await ask('the larch');
  await client.annotateNode(projectId, nodeId, { note: 'Measure it again.' });
  await heads.nth(4).waitFor();
  // What the page reads because of all this is not counted.
  const address = page.url();
  await page.goto('about:blank');
  sent.length = 0;
  await page.goto(address);
  await ended(page, 2);
  await eventually(() => heads.count()).toBe(5);
  await eventually(async () => (await marked(page)).slice(0, 3)).toEqual(['n oak tr', 'oak', 'oak = 7']);
  // A formula as a whole.
  expect((await marked(page)).slice(3).map((text) => text.includes('h = 2r^2'))).toEqual([true]);
  expect(requests().length).toBe(1);
  expect(await heads.evaluateAll((all) => all.map((each) => each.getAttribute('aria-expanded')))).toEqual(
    Array(5).fill('false'),
  );
  // In the order of their words; what is not there comes last, and says so.
  const names = await heads.locator('.question-text').allInnerTexts();
  expect(names.at(-1)).toBe('/sim say the larch?');
  await heads.last().click();
  await page.getByText(en['question.words.lost']).waitFor();
  // A click on the words opens their note.
  await clickWords(page, 1);
  await eventually(() => heads.nth(1).getAttribute('aria-expanded')).toBe('true');
  expect(await heads.nth(1).evaluate((head) => head === document.activeElement)).toBe(true);
  expect(await marked(page, 'asked-here')).toEqual(['oak']);
  await reply(page, 1).locator('.kept-note').getByText('Measure it again.').waitFor();
  await expectAccessible(page, 'notes in the margin and a private note');
});

it('WEB-723: the questions of a project are listed, found by a search, and lead to their words', async () => {
  const { page, projectId } = await openConversation(stage, ['/sim say An oak grows.']);
  const { client } = stage.server;
  const { groups } = await client.history(projectId, { ref: 'main' });
  const nodeId = groups[0]?.reply.at(-1)?.id ?? '';
  const { question } = await client.askAbout(projectId, { nodeId, quote: 'oak', question: 'Which quokka said so?' });
  await (await client.turnStream(projectId, question.turnId ?? '', 0)).text();
  await page.getByRole('link', { name: en['kept.title'] }).click();
  await button(page, en['kept.kind.question']).click();
  // What ResearchTree asked is kept on branches alone, and stands beside its words all the same.
  await client.createBranch(projectId, { name: 'q/height', fromNodeId: nodeId });
  const message = 'Highlighted passage:\n"""An oak"""\n\nQuestion:\nHow high?';
  await (await client.chat(projectId, { ref: 'q/height', message })).text();
  await page.locator('.kept-entry').getByText('Which quokka said so?').click();
  await note(page, 'Which quokka said so?').waitFor();
  await page.getByRole('searchbox', { name: en['projects.search'] }).fill('quokka');
  await page.locator('.search-hit').first().click();
  await note(page, 'Which quokka said so?').waitFor();
  await note(page, 'How high?').waitFor();
  await eventually(() => marked(page)).toEqual(['An oak', 'oak']);
});
