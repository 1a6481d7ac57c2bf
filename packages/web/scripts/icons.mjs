// Draws the icons of the installed page from public/icon.svg: `node packages/web/scripts/icons.mjs`.
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runnerImport } from 'vite';

const PUBLIC = resolve(import.meta.dirname, '../public');
const PAPER = '#faf8f4';
/** A mask may cut away everything outside the inner four fifths. */
const ICONS = [
  { name: 'icon-192.png', size: 192, inset: 0.08, background: 'transparent' },
  { name: 'icon-512.png', size: 512, inset: 0.08, background: 'transparent' },
  { name: 'icon-maskable-512.png', size: 512, inset: 0.2, background: PAPER },
  { name: 'apple-touch-icon.png', size: 180, inset: 0.14, background: PAPER },
];

const { launchBrowser } = (await runnerImport(resolve(import.meta.dirname, '../src/testing/browser.ts'))).module;
const svg = (await readFile(join(PUBLIC, 'icon.svg'))).toString('base64');
const browser = await launchBrowser();
try {
  for (const { name, size, inset, background } of ICONS) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const inner = Math.round(size * (1 - 2 * inset));
    await page.setContent(
      `<style>html,body{margin:0;background:${background}}body{display:grid;place-content:center;height:100vh}</style>
      <img src="data:image/svg+xml;base64,${svg}" width="${inner}" height="${inner}">`,
      { waitUntil: 'load' },
    );
    await writeFile(join(PUBLIC, name), await page.screenshot({ omitBackground: background === 'transparent' }));
    await page.close();
  }
} finally {
  await browser.close();
}
