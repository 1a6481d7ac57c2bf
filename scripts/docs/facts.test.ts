import { COMMANDS } from '@bough/cli';
import { createDeployments } from '@bough/providers';
import { readConfig } from '@bough/server';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ConfigFile } from '../../packages/server/src/config/file.ts';
import { createMetrics } from '../../packages/server/src/metrics/index.ts';
import { createTelemetry } from '../../packages/server/src/telemetry/index.ts';
import { EVENTS, GATEWAY_EVENTS } from './events.ts';
import { DOCUMENTS, documentFences, readDocument } from './documents.ts';
import { fileOf } from './fences.ts';

const configurations = DOCUMENTS.flatMap(documentFences).filter((fence) => fileOf(fence)?.endsWith('.config.json'));

it.each(configurations.map((fence) => [`${fence.document}:${fence.line}`, fence.body]))(
  'the configuration at %s is one that Bough takes',
  async (_, body) => {
    const directory = await mkdtemp(join(tmpdir(), 'bough-configuration-'));
    try {
      await writeFile(join(directory, 'bough.config.json'), body);
      const { file } = readConfig({ BOUGH_DATA_DIR: directory }, directory);
      expect(createDeployments({ env: {}, providers: file.providers, simulatorUrl: null }).all.length).toBeGreaterThan(
        0,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
);

it('docs/settings.md names every variable and every key of the configuration file that Bough reads', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bough-settings-'));
  try {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          asked.add(String(name));
          return name === 'BOUGH_DATA_DIR' ? directory : undefined;
        },
      },
    );
    readConfig(env, directory);
    await createTelemetry(env, () => undefined).close();
    const keys = Object.entries(ConfigFile.shape).flatMap(([name, schema]) => {
      const inner = schema.unwrap();
      return 'shape' in inner ? [name, ...Object.keys(inner.shape)] : [name];
    });
    const words = new Set(readDocument('docs/settings.md').match(/[$\w]+/g));
    expect([...asked, ...keys].filter((name) => !words.has(name))).toEqual([]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

it('docs/command-line.md names every command', () => {
  const table = [...readDocument('docs/command-line.md').matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  const named = table.flatMap((cell) => [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  expect(COMMANDS.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);
});

it('docs/operations.md lists every series of the metrics, with its labels, and no other', () => {
  const metrics = createMetrics(() => 0);
  for (const event of EVENTS) metrics.observe(event);
  for (const event of GATEWAY_EVENTS) metrics.gateway(event);
  metrics.request('GET', 200, 1);
  // A histogram is one entry: its buckets, their sum and their count.
  const sent = [...metrics.text().matchAll(/^((?:bough|gen_ai)_\w+)(?:\{(.*)\})? /gm)].map(
    ([, name = '', labels = '']) => [
      name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'),
      [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== 'le'),
    ],
  );
  const documented = [...readDocument('docs/operations.md').matchAll(/^\| `((?:bough|gen_ai)_\w+)` \|(.*?)\|/gm)].map(
    ([, name, labels = '']) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label)],
  );
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(sent));
});
