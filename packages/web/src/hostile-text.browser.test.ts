import type { HistoryView } from '@bough/api/client';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { zh } from './i18n/zh.ts';
import {
  actFromMenu,
  button,
  composer,
  ended,
  eventually,
  importText,
  openConversation,
  openImported,
  reply,
  replyText,
  sayingSlowly,
  send,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const FIRST = 'These words come first.';
const LAST = 'These words come last.';
const between = (text: string): string => `${FIRST}\n\n${text}\n\n${LAST}`;
const deepList = Array.from({ length: 900 }, (_, depth) => `${'  '.repeat(depth)}- item ${depth}`).join('\n');
const row = (cell: string): string => `|${` ${cell} |`.repeat(2_000)}`;

/** Texts that take a parser, a renderer or a browser seconds or minutes, or make it fail. */
const HOSTILE: Readonly<Record<string, string>> = {
  '5,000 quotes in each other': '>'.repeat(5_000),
  '5,000 quotes with words': `${'> '.repeat(5_000)}deep`,
  'lists 900 deep': deepList,
  'lists 5,000 deep in one line': `${'- '.repeat(5_000)}deep`,
  'numbered lists and quotes in turns': `${'1. > '.repeat(2_000)}deep`,
  '40,000 _': '_'.repeat(40_000),
  '40,000 _ between letters': '_a'.repeat(20_000),
  '40,000 *': '*a '.repeat(13_333),
  '40,000 ~': '~~a'.repeat(13_333),
  '40,000 [': '['.repeat(40_000),
  '40,000 [ and (': '[a]('.repeat(10_000),
  '40,000 ![': '!['.repeat(20_000),
  '40,000 (': '('.repeat(40_000),
  'backticks in every number': Array.from({ length: 280 }, (_, count) => `${'`'.repeat(count)} `).join(''),
  '40,000 <': '<'.repeat(40_000),
  '20,000 <!--': '<!-- '.repeat(8_000),
  '40,000 &': '&a'.repeat(20_000),
  'a table of 2,000 columns': [row('head'), row('---'), ...Array.from({ length: 20 }, () => row('cell'))].join('\n'),
  '20,000 link definitions': Array.from({ length: 20_000 }, (_, at) => `[l${at}]: https://example.com/${at}`).join(
    '\n',
  ),
  '10,000 www.': 'www.'.repeat(10_000),
  '10,000 addresses': 'https://a.example '.repeat(5_000),
  '5,000 footnotes': Array.from({ length: 5_000 }, (_, at) => `w[^${at}]\n\n[^${at}]: n`).join('\n\n'),
  'an address of 100,000 letters': `https://example.com/${'a'.repeat(100_000)}`,
  'mathematics in each other': `$$${'\\frac{1}{'.repeat(500)}x${'}'.repeat(500)}$$`,
  'mathematics that is never closed': '\\['.repeat(20_000),
  'code of 200,000 letters': `\`\`\`js\n${'const a = "b" + {c: 1};\n'.repeat(8_000)}\`\`\``,
  'invisible and backward letters': '\u200b\u202eabc\u2066\u0301'.repeat(10_000),
  'a line of a million letters': 'x'.repeat(900_000),
  'everything in turns': '> - [a](*b_ `c` ~~<d>&e; | $$f '.repeat(1_300),
};

interface Measured {
  readonly page: Page;
  /**
   * For how long the page has worked since it was opened, and nobody could use it meanwhile, in milliseconds of the
   * processor: time on the clock would depend on what else the machine does.
   */
  readonly workMs: () => Promise<number>;
}

async function openMeasured(projectId: string): Promise<Measured> {
  // Anything of the same origin: measuring begins with the next page.
  const page = await stage.open('/api/healthz');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${stage.server.url}/p/${projectId}/b/main`);
  return {
    page,
    workMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      const work = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
      expect(work).toBeGreaterThan(0);
      return work * 1_000;
    },
  };
}

/** Waits until nothing is waiting to be formatted. */
async function settled(page: Page): Promise<void> {
  await page.locator('.prose .plain').first().waitFor({ state: 'detached', timeout: 60_000 });
}

const wordsMs = new Map<number, number>();
/** What ordinary words of at least the same length cost on this machine: the yardstick for everything else. */
async function workOfWords(least: number): Promise<number> {
  const length = 10 ** Math.ceil(Math.log10(least));
  const known = wordsMs.get(length);
  if (known !== undefined) return known;
  const { page, workMs } = await openMeasured(await importText(stage, 'ordinary '.repeat(Math.floor(length / 9))));
  await ended(page, 2);
  await settled(page);
  const measured = await workMs();
  wordsMs.set(length, measured);
  return measured;
}

describe('hostile text', () => {
  it.each(Object.entries(HOSTILE))('WEB-32: %s: the conversation is shown, and the page reacts', async (_, text) => {
    const { page, workMs } = await openMeasured(await importText(stage, between(text)));
    await ended(page, 2);
    await replyText(page, 2).getByText(FIRST).first().waitFor();
    await settled(page);
    const shown = await replyText(page, 2).first().innerText();
    expect(shown).toContain(FIRST);
    expect(text.length > 200_000 ? LAST : shown).toContain(LAST);
    await composer(page).fill('still here');
    await button(reply(page, 2), en['reply.copy']).waitFor();
    expect(await workMs()).toBeLessThan(4 * (await workOfWords(text.length)));
  });

  it('WEB-33: only what is too much is shown as it was written, with a line that says so', async () => {
    const text = `${FIRST} With **weight**.\n\n${'- '.repeat(40)}deep\n\n${LAST}`;
    const { page } = await openImported(stage, text);
    await settled(page);
    const shown = replyText(page, 2).first();
    await shown.locator('strong').getByText('weight').waitFor();
    const written = shown.locator('.as-written');
    expect(await written.locator('p').allInnerTexts()).toEqual([en['prose.tooMuch'], `${'- '.repeat(40)}deep`]);
    expect(await shown.locator(':scope > p').last().innerText()).toBe(LAST);
  });

  it('WEB-33: a hostile text that streams is shown as it comes, and the page reacts meanwhile', async () => {
    const text = `${'> - '.repeat(1_500)} the end`;
    const { project } = await stage.server.client.createProject({ thinking: 'off' });
    const { page, workMs } = await openMeasured(project.id);
    await send(page, sayingSlowly(text, 1));
    await ended(page, 1);
    const shown = replyText(page, 1).first();
    await shown.getByText('the end').waitFor();
    await shown.getByText(en['prose.tooMuch']).waitFor();
    await settled(page);
    const { groups } = await stage.server.client.history(project.id, { ref: 'main' });
    const stored = groups[0]?.reply.at(-1)?.content ?? '';
    expect(await shown.locator('.as-written > p').last().innerText()).toBe(stored);
    expect(await workMs()).toBeLessThan(4 * (await workOfWords(text.length)));
  });

  it('WEB-33: the line is in the reader’s language, and a nested text stays within a narrow screen', async () => {
    const nested = `${'> - '.repeat(8)}deep\n\n${'> '.repeat(17)}deeper`;
    const { page } = await openImported(stage, nested, { locale: 'zh-CN', viewport: { width: 360, height: 700 } });
    await settled(page);
    await replyText(page, 2).getByText(zh['prose.tooMuch']).waitFor();
    expect(await replyText(page, 2).locator('blockquote').count()).toBe(8);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  });
});

describe('what cannot be rendered', () => {
  it('WEB-34: a message that breaks is shown as plain text, and every other as ever', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({ thinking: 'off' });
    for (const message of ['/sim say **first** words', '/sim say **second** words'])
      await (await client.chat(project.id, { ref: 'main', message })).text();
    const page = await stage.open();
    stage.allow(/TypeError/);
    // A newer server, or a damaged store: there is no text where one should be.
    await page.route('**/history?*', async (route) => {
      const response = await route.fetch();
      const history = (await response.json()) as HistoryView;
      const [item] = history.groups[0]?.segments[0]?.items ?? [];
      if (item !== undefined) Reflect.deleteProperty(item, 'text');
      await route.fulfill({ response, json: history });
    });
    await page.goto(`${stage.server.url}/p/${project.id}/b/main`);
    await turn(page, 1).getByText('**first** words', { exact: true }).waitFor();
    await turn(page, 1).getByText(en['prose.failed']).waitFor();
    await turn(page, 1).getByText('/sim say **first** words', { exact: true }).waitFor();
    await replyText(page, 2).locator('strong').getByText('second').waitFor();
    await composer(page).waitFor();
  });
});

describe('what is longer than a page', () => {
  it('WEB-35: of a message so much is in the page as it lays out at once, and more on request', async () => {
    const { client } = stage.server;
    const { project } = await client.createProject({});
    await (await client.chat(project.id, { ref: 'main', message: '/sim say start' })).text();
    const { branches } = await client.listBranches(project.id);
    const content = 'a word '.repeat(130_000);
    // Longer than any window: what the next request would contain cannot be computed.
    stage.allow(/context\/report/);
    await client.appendMessages(branches[0]?.tipId ?? '', { ref: 'main', messages: [{ role: 'user', content }] });
    const page = await stage.open(`/p/${project.id}/b/main`);
    const message = userMessage(page, 2);
    await button(message, en['reply.unfold']).click();
    const length = () => message.locator('.user-text').evaluate((element) => element.textContent.length);
    expect(await length()).toBe(200_000);
    await message.getByText(en['text.rest'].replace('{count}', '710,000')).waitFor();
    await button(message, en['text.more']).click();
    await eventually(length).toBe(800_000);
    await button(message, en['text.more']).click();
    await eventually(length).toBe(content.length);
    expect(await button(message, en['text.more']).count()).toBe(0);
  });

  it('WEB-35: of a provider’s answer too', async () => {
    const { page } = await openConversation(stage, ['/sim long 60000'], { thinking: 'off' });
    await actFromMenu(page, reply(page, 1), en['reply.raw']);
    const dialog = page.getByRole('dialog', { name: en['reply.raw'] });
    await button(dialog, en['text.more']).waitFor();
    expect(await dialog.locator('pre').evaluate((element) => element.textContent.length)).toBe(200_000);
  });
});
