import { BoughError } from '@bough/core';
import { foreignConversations, foreignExports } from '@bough/testkit';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFile } from '../file.ts';
import { createBringer } from '../files/bring.ts';
import { damaged, textOf, textsIn } from '../testing/damage.ts';
import { ENVELOPE } from '../testing/imported.ts';

const { chatGpt, claude, openAi, uiMessages } = foreignConversations;
const { cherryStudio, libreChat, libreChatTree, malloryRows, openWebUi, sillyTavern, smallEBot, typingMind } =
  foreignExports;

const SOURCES: Readonly<Record<string, unknown>> = {
  'chatgpt.json': [chatGpt(), chatGpt(true)],
  'claude.json': [claude],
  'librechat.json': libreChat(),
  'librechat-tree.json': libreChatTree(),
  'open-webui.json': [openWebUi(), openWebUi('output')],
  'cherry-studio.json': cherryStudio(['t1', 't2']),
  'typingmind.json': typingMind('a', 'b'),
  'sillytavern.jsonl': sillyTavern(),
  'mallory.json': malloryRows('c1', 'c2'),
  'smallebot.json': smallEBot('c1', 'c2'),
  'openai.json': openAi,
  'ai-sdk.json': uiMessages,
};
const SEEDS = 160;

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-damage-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Harvest {
  readonly words: ReadonlySet<string>;
  /** What somebody who imports it would be told. */
  readonly told: readonly string[];
}

async function harvest(path: string): Promise<Harvest> {
  const words = new Set<string>();
  const told: string[] = [];
  const bring = createBringer({
    held: null,
    keeper: null,
    store: null,
    temporaryDir: dir,
    maxBytes: 1e9,
    signal: undefined,
  });
  const gather = (value: unknown, key = ''): void => {
    if (typeof value === 'string' && value.length > 2 && key !== 'type') words.add(value);
    if (typeof value === 'object' && value !== null)
      for (const [name, held] of Object.entries(value)) gather(held, name);
  };
  try {
    for await (const found of readFile(path, ENVELOPE, () => undefined, bring)) {
      if (found.type === 'problem') told.push(found.problem.message);
      if (found.type === 'leftOut') told.push(...found.kinds);
      if (found.type !== 'project') continue;
      told.push(...found.problems.map(({ message }) => message), ...found.leftOut);
      for await (const record of found.records) if (record.type === 'node') gather(record.value.contentBlocks);
    }
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    told.push(error.message);
  }
  return { words, told };
}

describe.each(Object.entries(SOURCES))('%s, damaged at random', (name, source) => {
  it('IM-106: never crashes, and what is still in the file arrives or is told', async () => {
    const isLines = name.endsWith('.jsonl');
    const path = join(dir, name);
    await writeFile(path, textOf(source, isLines));
    const healthy = await harvest(path);
    expect(healthy.words.size).toBeGreaterThan(1);
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const text = damaged(source, isLines, seed);
      await writeFile(path, text);
      const { words, told } = await harvest(path);
      const texts = textsIn(text, isLines);
      const isThere = (word: string): boolean =>
        texts === null ? text.includes(JSON.stringify(word).slice(1, -1)) : texts.has(word);
      const lost = [...healthy.words].filter((word) => !words.has(word) && isThere(word));
      const about = JSON.stringify({ seed, lost, told });
      // Where a name of a field was hit and the rest is whole, nothing tells that there ever was such a field.
      const isName = texts !== null && seed % 8 < 3;
      const isTold = told.some((each) => !healthy.told.includes(each));
      if (lost.length > 0 && !isName) expect(isTold, about).toBe(true);
      expect(told.join(' '), about).not.toMatch(/undefined|\[object|is not a function|Cannot read/);
    }
  });
});

describe('what a record cannot do without', () => {
  it.each<readonly [source: string, path: string]>([
    ['chatgpt.json', '0.mapping.a2.message.content.parts.0'],
    ['chatgpt.json', '0.mapping.t1.message.content.thoughts'],
    ['chatgpt.json', '0.mapping.a2'],
    ['claude.json', '0.chat_messages.2.text'],
    ['claude.json', '0.chat_messages.0.attachments'],
    ['claude.json', '0.chat_messages.1.content.0.thinking'],
    ['librechat.json', 'messages.0.text'],
    ['librechat.json', 'messages.1.content.0.think'],
    ['librechat.json', 'messages.1.content.2.tool_call'],
    ['librechat.json', 'messages.1.content'],
    ['librechat-tree.json', 'messagesTree.0.children'],
    ['open-webui.json', '0.chat.history.messages.b1'],
    ['open-webui.json', '0.chat.history.messages.b1.content'],
    ['open-webui.json', '1.chat.history.messages.b1.output'],
    ['cherry-studio.json', 'indexedDB.topics.0.messages'],
    ['cherry-studio.json', 'indexedDB.topics.0.messages.0.blocks'],
    ['cherry-studio.json', 'indexedDB.message_blocks.0'],
    ['cherry-studio.json', 'indexedDB.message_blocks.2.content'],
    ['cherry-studio.json', 'localStorage.persist:cherry-studio'],
    ['typingmind.json', 'data.chats.0.messages'],
    ['typingmind.json', 'data.chats.0.messages.4.content'],
    ['typingmind.json', 'data.chats.0.messages.1.tool_calls'],
    ['sillytavern.jsonl', '2.mes'],
    ['sillytavern.jsonl', '4.swipes'],
    ['sillytavern.jsonl', '4.extra.reasoning'],
    ['mallory.json', '0.metadata.parts.1.text'],
    ['mallory.json', '0.metadata.parts.2.toolCallId'],
    ['smallebot.json', 'ChatMessages.0.Content'],
    ['smallebot.json', 'ChatMessages'],
    ['smallebot.json', 'ThinkBlocks.0'],
    ['openai.json', '2.reasoning_content'],
    ['openai.json', '1.content'],
    ['ai-sdk.json', '1.parts.1.text'],
    ['ai-sdk.json', '1.parts.3.state'],
  ])('IM-106: %s: %s of another type is named', async (name, place) => {
    const source = SOURCES[name];
    const isLines = name.endsWith('.jsonl');
    const keys = place.split('.');
    const path = join(dir, name);
    await writeFile(path, textOf(source, isLines));
    const healthy = await harvest(path);
    const value: unknown = JSON.parse(JSON.stringify(source));
    const last = keys.pop() ?? '';
    const holder = keys.reduce((at, key) => at[key] as Record<string, unknown>, value as Record<string, unknown>);
    expect(last in holder).toBe(true);
    holder[last] = 7;
    await writeFile(path, textOf(value, isLines));
    expect((await harvest(path)).told.filter((each) => !healthy.told.includes(each))).not.toEqual([]);
  });
});
