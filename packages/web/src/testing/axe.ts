import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
let source: string | null = null;

/** Runs axe on everything on the screen, by WCAG 2.2 AA and by good practice beyond it. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  source ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // As a debugger expression: the page's security policy allows no scripts but its own.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${source}; undefined`);
  const violations = await page.evaluate(async (tags) => {
    const { axe } = window as Window & { axe?: { run: (context: Document, options: object) => Promise<AxeResults> } };
    const results = await axe?.run(document, {
      runOnly: { type: 'tag', values: tags },
      resultTypes: ['violations'],
    });
    return results?.violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id} (${help}): ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
    );
  }, STANDARD);
  expect(violations, where).toEqual([]);
}
