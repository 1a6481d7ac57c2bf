import type { Envelope } from '@bough/core';
import { BoughError } from '@bough/core';
import { openFilesStore } from '@bough/store';
import { foreignConversations } from '@bough/testkit';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPath, rehearseImport } from './index.ts';
import type { ImportReport } from './report.ts';
import { placesIn, randomOf } from './testing/damage.ts';

const { chatGpt, claude, flat } = foreignConversations;
const ENVELOPE: Envelope = { provider: 'simulated', model: 'm', systemPrompt: null, tools: [], thinking: 'off' };
const COUNT = 6;

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-damage-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const FORMATS: Readonly<Record<string, (index: number) => object>> = {
  chatgpt: (index) => ({ ...chatGpt(), title: `Talk ${index}`, conversation_id: `c-${index}` }),
  claude: (index) => ({ ...claude, name: `Talk ${index}`, uuid: `k-${index}` }),
};

const WRONG: readonly unknown[] = [null, 7, -1e300, '', 'x', true, [], {}, [[]], [null], { a: 1 }, '\u0000', '\ud800'];

/** A list of conversations of which one is damaged; null where the damage removed it. */
function damaged(seed: number, make: (index: number) => object): { readonly text: string; readonly hit: number } {
  const random = randomOf(seed);
  const hit = random(COUNT);
  const texts = Array.from({ length: COUNT }, (_, index) => JSON.stringify(make(index)));
  const whole = texts[hit] ?? '';
  const kind = seed % 4;
  if (kind === 0) texts[hit] = whole.slice(0, 1 + random(whole.length - 1));
  else if (kind === 1) {
    const at = 1 + random(whole.length - 2);
    texts[hit] = whole.slice(0, at) + whole.slice(at + 1 + random(200));
  } else if (kind === 2) texts.splice(hit, 0, whole);
  else {
    const value: unknown = JSON.parse(whole);
    const places = placesIn(value);
    for (let count = 0; count <= random(3); count += 1) {
      const place = places[random(places.length)];
      if (place !== undefined) place.holder[place.key] = WRONG[random(WRONG.length)];
    }
    texts[hit] = JSON.stringify(value);
  }
  return { text: `[${texts.join(',')}]`, hit };
}

describe.each(Object.entries(FORMATS))('a damaged export of %s', (name, make) => {
  it('IM-141: every record is imported, or named and skipped, and the others are as if nothing had happened', async () => {
    const path = join(dir, `${name}.json`);
    const read = async (text: string): Promise<ImportReport> => {
      await writeFile(path, text);
      return rehearseImport(path, { envelope: ENVELOPE, onError: 'skip' });
    };
    const healthy = await read(JSON.stringify(Array.from({ length: COUNT }, (_, index) => make(index))));
    for (let seed = 1; seed <= 240; seed += 1) {
      const { text, hit } = damaged(seed, make);
      const { projects, problems, leftOut } = await read(text);
      const others = healthy.projects.filter((_, index) => index !== hit);
      const told = JSON.stringify({ seed, problems, leftOut });
      for (const other of others) expect(projects, told).toContainEqual(other);
      const [whole] = healthy.projects.filter((_, index) => index === hit);
      const found = projects.find(({ id }) => id === whole?.id);
      const isLess = found === undefined || found.addedNodes < (whole?.addedNodes ?? 0);
      if (isLess) expect(problems.length + Object.keys(leftOut).length, told).toBeGreaterThan(0);
      for (const { message } of problems) expect(message, told).not.toMatch(/undefined|\[object|is not a function/);
    }
  });
});

it('IM-141: all or nothing: one damaged record, and nothing is written', async () => {
  const store = await openFilesStore({ directory: join(dir, 'store') });
  try {
    const path = join(dir, 'stop.json');
    for (const seed of [4, 8, 5, 9]) {
      await writeFile(path, damaged(seed, FORMATS['chatgpt'] ?? (() => flat)).text);
      await expect(importPath(store, path, { envelope: ENVELOPE, onError: 'stop' })).rejects.toBeInstanceOf(BoughError);
      expect(await store.listProjects()).toEqual([]);
    }
  } finally {
    await store.close();
  }
});
