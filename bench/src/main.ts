import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chart } from './frame/chart.ts';
import type { Result } from './frame/contest.ts';
import { withFigures } from './frame/document.ts';
import { table } from './frame/table.ts';
import { machine, versions } from './frame/versions.ts';
import { IN_SHORT, PEERS, SUITES } from './suites.ts';

const ROOT = new URL('../../', import.meta.url);
const JSON_FILE = new URL('docs/performance.json', ROOT);
const DOCUMENT = new URL('docs/performance.md', ROOT);
const CHART_FILE = new URL('docs/pictures/performance.svg', ROOT);
const SHORT_CHART_FILE = new URL('docs/pictures/performance-short.svg', ROOT);
const HELP = `npm run bench                     every suite; writes docs/performance.json, and from it the table and the charts of docs/performance.md
npm run bench -- fold context     these suites; their rows replace the older ones in the file
npm run bench -- --quick          small sizes, few rounds, writes nothing: does it run?
npm run bench -- --install        with peers that are no dependencies, installed into a temporary folder
npm run bench -- --draw           writes table and charts from the figures of the last run

suites:
${SUITES.map(({ name, about }) => `  ${name.padEnd(10)}${about}`).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    draw: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.draw) await draw(await earlier());
else await main();

async function main(): Promise<void> {
  const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    console.error(`There is no suite "${unknown.join('", "')}".\n\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const chosen = SUITES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const scratch = await mkdtemp(join(tmpdir(), 'bough-bench-'));
  const results: Result[] = [];
  try {
    for (const suite of chosen) {
      console.error(`${suite.name}: ${suite.about}`);
      const { quick, install } = values;
      const progress = (line: string): void => console.error(`  ${line}`);
      results.push(...(await suite.run({ quick, install, scratch, progress })));
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const report = { measured: new Date().toISOString().slice(0, 10), machine: machine(), versions: versions(PEERS) };
  console.log(
    `${report.machine}; ${Object.entries(report.versions)
      .map((entry) => entry.join(' '))
      .join(', ')}\n`,
  );
  console.log(table(results));
  if (values.quick) return;
  const kept = (await earlier()).filter(({ work }) => !results.some((result) => result.work === work));
  const order = SUITES.flatMap(({ works }) => works);
  const all = [...kept, ...results].sort((a, b) => order.indexOf(a.work) - order.indexOf(b.work));
  await writeFile(JSON_FILE, `${JSON.stringify({ ...report, results: all }, null, 2)}\n`);
  await draw(all);
}

async function draw(results: readonly Result[]): Promise<void> {
  await writeFile(DOCUMENT, withFigures(await readFile(DOCUMENT, 'utf8'), results));
  await writeFile(CHART_FILE, chart(results));
  await writeFile(SHORT_CHART_FILE, chart(results.filter(({ work, size }) => IN_SHORT.includes(`${work}, ${size}`))));
}

async function earlier(): Promise<readonly Result[]> {
  try {
    return JSON.parse(await readFile(JSON_FILE, 'utf8')).results;
  } catch {
    // The first run: there is nothing to keep.
    return [];
  }
}
