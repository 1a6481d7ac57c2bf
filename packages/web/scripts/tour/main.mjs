// Shows every page, panel, menu, dialog and state of the running program, and reports every fault that a machine can
// see: `npm run tour`, `npm run tour -- --only menus,unlock`, `npm run tour -- --out somewhere`, `npm run tour --
// --list`.
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { createGuide } from './guide.mjs';
import { tellFindings } from './findings.mjs';
import { makeSheet } from './sheet.mjs';
import { STEPS } from './steps/index.mjs';
import { createWorlds } from './worlds.mjs';

const ROOT = resolve(import.meta.dirname, '../../../..');
const SRC = resolve(import.meta.dirname, '../../src');

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, '.tour') },
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
  },
});
const wanted = options.only.flatMap((names) => names.split(','));
const fits = ({ name, group }) => wanted.length === 0 || wanted.includes(name) || wanted.includes(group);
const steps = STEPS.filter(fits);
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name || step.group === name));
if (unknown.length > 0) throw new Error(`There is no step ${unknown.join(', ')}. See \`npm run tour -- --list\`.`);

if (options.list) {
  for (const { group, name, views } of STEPS) console.log(`${group}  ${name}  (${views.length})`);
} else {
  process.exitCode = await walk();
}

async function walk() {
  const out = resolve(options.out);
  // Pictures of an earlier tour would mix with those of this one.
  await rm(join(out, 'pictures'), { recursive: true, force: true });
  await mkdir(join(out, 'pictures'), { recursive: true });
  const load = async (path) => (await runnerImport(join(SRC, path))).module;
  const [{ launchBrowser }, looks, { barriers }, { whole: en }, { zh }] = await Promise.all(
    ['testing/browser.ts', 'testing/looks/index.ts', 'testing/barriers.ts', 'i18n/later/index.ts', 'i18n/zh.ts'].map(
      load,
    ),
  );
  const worlds = createWorlds();
  const browser = await launchBrowser();
  try {
    const guide = createGuide({ browser, worlds, looks, barriers, words: { en, zh }, out });
    for (const step of steps) await guide.take(step);
    await tellMissingFont(browser);
    await makeSheet(browser, guide.pictures(), out);
    return tellFindings(guide.pictures(), guide.findings(), out);
  } finally {
    await browser.close();
    await worlds.end();
  }
}

/**
 * A browser without a Chinese font draws nothing in its place: the pictures then show where things are, but not how
 * they look.
 */
async function tellMissingFont(browser) {
  const page = await browser.newPage();
  const isDrawn = await page.evaluate(() => {
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = '40px sans-serif';
    pen.fillText('中', 20, 60);
    return pen.getImageData(0, 0, 100, 100).data.some((value) => value > 0);
  });
  await page.close();
  if (!isDrawn) console.log('This browser has no Chinese font; BROWSER_PATH names another one.');
}
