import { mkdir, writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually, openConversation, openImported } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const TEXT = [
  '# A heading',
  'Words with [a link](https://example.com/where/it/leads) in them.',
  `\`\`\`js\nconst long = '${'wide '.repeat(60)}';\n\`\`\``,
  '| a | b |\n|---|---|\n| one | two |',
  'Last words.',
].join('\n\n');

/** For eyes: BOUGH_PRINTED names a directory for the pages. */
async function printed(page: Page, name: string): Promise<string> {
  const pdf = await page.pdf({ format: 'A4', printBackground: true });
  const directory = process.env['BOUGH_PRINTED'];
  if (directory !== undefined) {
    await mkdir(directory, { recursive: true });
    await writeFile(`${directory}/${name}.pdf`, pdf);
  }
  return pdf.toString('latin1');
}

const pages = (pdf: string): number => [...pdf.matchAll(/\/Type\s*\/Page\b/g)].length;

describe('printing', () => {
  it('WEB-115: shows the words and nothing to click, with code wrapped and addresses to read', async () => {
    const { page } = await openImported(stage, TEXT);
    await page.emulateMedia({ media: 'print' });
    for (const gone of ['.sidebar', '.side', '.composer', '.actions', '.topbar .icon-button'])
      expect(await page.locator(gone).evaluateAll((all) => all.filter((each) => each.checkVisibility()).length)).toBe(
        0,
      );
    const code = page.locator('.code-block pre');
    expect(await code.evaluate((element) => element.scrollWidth <= element.clientWidth + 1)).toBe(true);
    const link = page.locator('.prose a');
    expect(await link.evaluate((element) => getComputedStyle(element, '::after').content)).toContain('(');
    // Black on white, also where the page is dark.
    await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'));
    expect(
      await page
        .locator('.prose p')
        .last()
        .evaluate((element) => getComputedStyle(element).color),
    ).toBe('rgb(17, 17, 17)');
    expect(pages(await printed(page, 'words'))).toBeGreaterThanOrEqual(1);
  });

  it('WEB-115: everything that is loaded is on paper, not only what is on the screen', async () => {
    const messages = Array.from(
      { length: 14 },
      (_, index) => `Question ${index} /sim say ${`Reply ${index}. `.repeat(150)}`,
    );
    const { page } = await openConversation(stage, messages);
    expect(await page.locator('.turn').count()).toBeLessThan(14);
    expect(pages(await printed(page, 'long'))).toBeGreaterThanOrEqual(6);
    // Afterwards only what is near the screen is in the page again.
    await eventually(() => page.locator('.turn').count()).toBeLessThan(14);
    // The keyboard's own command waits until everything is formatted.
    await page.evaluate(() => {
      const seen = window as unknown as { printed: { turns: number; plain: number } };
      window.print = () => {
        seen.printed = {
          turns: document.querySelectorAll('.turn').length,
          plain: document.querySelectorAll('.conversation .prose .plain').length,
        };
      };
    });
    await page.keyboard.press('Control+p');
    await eventually(() => page.evaluate(() => (window as unknown as { printed?: unknown }).printed)).toEqual({
      turns: 14,
      plain: 0,
    });
  });
});
