import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/**
 * What axe takes for a region of its own: its own list, open menus and tooltips. All of them are rendered at the end of
 * the page and never looked for by landmark: like a dialog, a menu has the keyboard while it is open, and a tooltip is
 * the description of what has it.
 */
const REGIONS = 'dialog, [role=dialog], [role=alertdialog], svg, [role=menu], .tooltip';
let source: string | null = null;

/** What axe finds on the screen, by WCAG 2.2 AA and by good practice beyond it. */
export async function barriers(page: Page): Promise<readonly string[]> {
  source ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // As a debugger expression: the page's security policy allows no scripts but its own.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${source}; undefined`);
  return page.evaluate(
    async ({ tags, regionMatcher }) => {
      const { axe } = window as Window & { axe?: { run: (context: Document, options: object) => Promise<AxeResults> } };
      if (axe === undefined) throw new Error('axe is not in the page');
      // On a busy machine even the shortest transition waits for its frame, and until then a text may be faint.
      const passing = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
      await Promise.allSettled(passing.map(({ finished }) => finished));
      const { violations } = await axe.run(document, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
        checks: { region: { options: { regionMatcher } } },
      });
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map((node) => `${id} (${help}): ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
      );
    },
    { tags: STANDARD, regionMatcher: REGIONS },
  );
}
