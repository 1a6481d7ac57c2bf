import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, eventually, openImported, openProject, replyText, send } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const fenced = (source: string): string => `Look:\n\n\`\`\`mermaid\n${source}\n\`\`\`\n\nThat is all.`;
const FLOW = 'flowchart LR\n  A[Bud finds light] --> B{Branch?}\n  B -->|yes| C[Grow]\n  B -->|no| D[Wait]';

const picture = (page: Page) => page.locator('.diagram-picture img');
async function svgOf(page: Page): Promise<string> {
  await picture(page).waitFor();
  const address = (await picture(page).getAttribute('src')) ?? '';
  expect(address).toMatch(/^data:image\/svg\+xml/);
  return decodeURIComponent(address.slice(address.indexOf(',') + 1));
}

/** The words of a picture: each of them may be an element of its own. */
const wordsOf = (svg: string): string => svg.replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, '');

describe('diagrams', () => {
  it('WEB-112: a Mermaid block is drawn, in both themes, and its source is one click away', async () => {
    const { page } = await openImported(stage, fenced(FLOW));
    const light = await svgOf(page);
    expect(wordsOf(light)).toContain('Bud finds light');
    expect(await picture(page).evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 100)).toBe(
      true,
    );
    await expectAccessible(page, 'a diagram');
    await button(page, en['diagram.source']).click();
    await replyText(page, 2).getByText('B -->|yes| C[Grow]').waitFor();
    await button(page, en['diagram.show']).click();
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'));
    await eventually(() => svgOf(page)).not.toBe(light);
  });

  it.each([
    ['sequenceDiagram\n  Ann->>Bob: Hello', 'Hello'],
    ['classDiagram\n  class Tree { +grow() }', 'Tree'],
    ['stateDiagram-v2\n  [*] --> Open\n  Open --> [*]', 'Open'],
    ['erDiagram\n  TREE ||--o{ LEAF : has', 'LEAF'],
    ['gantt\n  title Year\n  section One\n  Bloom :a1, 2026-01-01, 30d', 'Bloom'],
    ['pie title Leaves\n  "green" : 3\n  "red" : 1', 'Leaves'],
    ['mindmap\n  root((Tree))\n    Leaf\n    Root', 'Leaf'],
  ])('WEB-112: draws without HTML in it: %s', async (source, word) => {
    const { page } = await openImported(stage, fenced(source));
    const svg = await svgOf(page);
    expect(wordsOf(svg)).toContain(word);
    expect(svg).not.toMatch(/<foreignObject|<script/i);
  });

  it('WEB-112: what a model wrote runs nothing, fetches nothing and styles nothing but its picture', async () => {
    const { page } = await openImported(
      stage,
      fenced(
        [
          '%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true},',
          ' "themeCSS": "* { background: url(https://evil.example/css.png) } .reply { display: none }"}}%%',
          'flowchart LR',
          '  A["<img src=https://evil.example/x.png onerror=window.hacked=1>"] --> B["<b>bold</b>"]',
          '  click A href "javascript:window.hacked=2"',
          '  style B fill:url(https://evil.example/fill.png)',
        ].join('\n'),
      ),
    );
    const state = page.locator('.diagram-picture img, .diagram-note').first();
    await state.waitFor();
    await eventually(() => page.getByText(en['diagram.drawing']).count()).toBe(0);
    await page.waitForTimeout(500);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await replyText(page, 2).isVisible()).toBe(true);
    if ((await picture(page).count()) > 0) expect(await svgOf(page)).not.toMatch(/<foreignObject|<script|<img/i);
    // The setup of the tests fails if anything was asked of another machine; a policy that refused says so here.
    stage.allow(/Content Security Policy|evil\.example/);
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(asked.filter((name) => name.includes('evil'))).toEqual([]);
  });

  it('WEB-112: one that cannot be drawn is shown as its source, with a sentence', async () => {
    const { page } = await openImported(stage, fenced('flowchart LR\n  A --> --> ???'));
    await page.getByText(en['diagram.failed']).waitFor();
    await replyText(page, 2).getByText('A --> --> ???').waitFor();
    await expectAccessible(page, 'a diagram that cannot be drawn');
  });

  it('WEB-112: one that is too large is shown as its source, and the page goes on', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => `  N${index} --> N${index + 1}`);
    const { page } = await openImported(stage, fenced(`flowchart LR\n${rows.join('\n')}`));
    await page.getByText(en['diagram.tooLarge']).waitFor();
  });

  it('WEB-112: while it arrives it is code', async () => {
    const { page } = await openProject(stage);
    const rows = Array.from({ length: 40 }, (_, index) => `N${index}-->N${index + 1}`).join(' \\n ');
    await send(page, `/sim slow 150 /sim say Look:\\n\\n\`\`\`mermaid\\nflowchart LR\\n${rows}\\n\`\`\`\\n\\nThe end.`);
    // In one look: by the next one, the rest may have come.
    const seen = await page.waitForFunction(() => {
      const code = document.querySelector('.reply-body[aria-busy="true"] .code-block')?.textContent ?? '';
      const isHalf = code.includes('N3') && !code.includes('N40');
      return isHalf ? { diagrams: document.querySelectorAll('.diagram').length } : null;
    });
    expect(await seen.jsonValue()).toEqual({ diagrams: 0 });
    await picture(page).waitFor();
  });

  it('WEB-112: the program that draws is loaded with the first diagram, and is no part of the first load', async () => {
    const { page } = await openImported(stage, 'No diagram here.');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.reload();
    await replyText(page, 2).getByText('No diagram here.').waitFor();
    expect(loaded.filter((path) => /diagram|mermaid/i.test(path))).toEqual([]);
    const dist = fileURLToPath(new URL('../dist/', import.meta.url));
    const html = await readFile(`${dist}index.html`, 'utf8');
    const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
    expect(first.length).toBeGreaterThan(0);
    expect(first.filter((path) => /diagram|mermaid/i.test(path))).toEqual([]);
    expect((await readdir(`${dist}assets`)).some((name) => name.startsWith('diagram-'))).toBe(true);
  });
});
