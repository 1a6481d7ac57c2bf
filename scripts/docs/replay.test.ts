import { isThinkingBlock } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectExamples, readDocument, root } from './examples.ts';
import {
  boundExamples,
  breakExamples,
  editExamples,
  hiddenExamples,
  includeExamples,
  interruptionExamples,
  trimExamples,
} from './replay/changes.ts';
import { startPlay } from './replay/play.ts';
import { chatExamples, protocolExamples } from './replay/protocols.ts';
import type { Examples } from './replay/show.ts';
import { Talk, target } from './replay/talk.ts';

const SCENES: readonly ((simulator: Simulator) => Promise<Examples>)[] = [
  protocolExamples,
  chatExamples,
  breakExamples,
  editExamples,
  interruptionExamples,
  includeExamples,
  trimExamples,
  boundExamples,
  hiddenExamples,
];

/** Each scene has its own simulator: an addition to one does not change the ids of the others. */
async function playAll(): Promise<Examples> {
  const all: Examples = new Map();
  for (const scene of SCENES) {
    const simulator = await startPlay();
    try {
      for (const [name, text] of await scene(simulator)) all.set(name, text);
    } finally {
      await simulator.close();
    }
  }
  return all;
}

describe('docs/replay.md', () => {
  it('shows what Bough really sends, every request of it accepted by the simulator', async () => {
    expectExamples('docs/replay.md', await playAll());
  });

  it('cuts signatures for reading alone: they leave whole, behind the bytes of the request before', async () => {
    const simulator = await startPlay();
    try {
      const to = target(simulator, 'anthropic', 'claude-sonnet-4-5');
      const talk = new Talk(simulator).ask('What is 6 × 7?');
      const first = await talk.reply(to);
      const thought = talk.last().node.contentBlocks.find(isThinkingBlock);
      const second = await talk.ask('Are you sure?').reply(to);
      expect(second.request.body).toContain(JSON.stringify(thought?.signature));
      expect(second.request.body.startsWith(first.request.body.slice(0, -']}'.length))).toBe(true);
    } finally {
      await simulator.close();
    }
  });

  it('explains every reason that a report can give', () => {
    const document = readDocument('docs/replay.md');
    expect(reasonsIn('packages/core/src/context/items.ts', 'ContextReason =').length).toBeGreaterThan(10);
    for (const reason of [
      ...reasonsIn('packages/core/src/context/items.ts', 'ContextReason ='),
      ...reasonsIn('packages/providers/src/protocol.ts', 'reason:'),
    ]) {
      expect(document, reason).toContain(`| \`${reason}\` |`);
    }
  });
});

/** The members of the union that follows `start` in a source file. */
function reasonsIn(path: string, start: string): readonly string[] {
  const source = readFileSync(join(root, path), 'utf8');
  const union = source.slice(source.indexOf(start)).split(';')[0] ?? '';
  return [...union.matchAll(/'(\w+)'/g)].flatMap(([, reason]) => reason ?? []);
}
