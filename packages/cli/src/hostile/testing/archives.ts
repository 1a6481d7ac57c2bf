import { foreignConversations } from '@bough/testkit';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Decoy } from './decoy.ts';
import type { Hostile } from './loom.ts';
import { put } from './loom.ts';

const { chatGpt, claude, flat, openAi, uiMessages } = foreignConversations;
const EVIL = '../../home/.bashrc';
const ESCAPES = '\u001b]0;owned\u0007\u009b2J';
const DEEP = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;

/** Every text in a value replaced, including keys. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTexts(item, text)]));
}

const SOURCES: Readonly<Record<string, unknown>> = {
  chatgpt: [chatGpt()],
  claude: [claude],
  flat,
  openai: openAi,
  'ai-sdk': uiMessages,
};

/**
 * Files of other programs with everything in them that a file can hold. `make` gets the path of the file or directory.
 */
export function archives({ home }: Decoy): readonly Hostile[] {
  const file = (name: string, content: unknown): Hostile => ({ name, make: (path) => put(path, content) });
  const circle = chatGpt();
  return [
    ...Object.entries(SOURCES).flatMap(([name, source]) => [
      file(`${name} with paths for texts`, withTexts(source, EVIL)),
      file(`${name} with escape codes for texts`, withTexts(source, ESCAPES)),
      file(
        `${name} with nesting without end`,
        JSON.stringify(source).replace(/"(?:content|text)":"[^"]*"/, `"content":${DEEP}`),
      ),
      file(`${name} with numbers for texts`, JSON.stringify(source).replaceAll(/:"[^"]*"/g, ':7')),
    ]),
    file('a circle', [
      { ...circle, mapping: { ...circle.mapping, root: { id: 'root', parent: 'a2', children: ['s'] } } },
    ]),
    file('keys of objects that programs trip over', '[{"__proto__":{"uuid":"x"},"constructor":1,"chat_messages":[]}]'),
    file('brackets without end', '['.repeat(3e6)),
    file('quotes without end', '"'.repeat(3e6)),
    file('nothing', ''),
    file('another alphabet', Buffer.from(JSON.stringify([claude]), 'utf16le')),
    {
      name: 'one element of a hundred megabytes',
      make: async (path) => {
        await writeFile(path, '["');
        await truncate(path, 100e6);
      },
    },
    {
      name: 'conversations.json as a link',
      make: async (path) => {
        await mkdir(path);
        await symlink(join(home, '.config/treasure.json'), join(path, 'conversations.json'));
      },
    },
    {
      name: 'conversations.json as a pipe',
      make: async (path) => {
        await mkdir(path);
        execFileSync('mkfifo', [join(path, 'conversations.json')]);
      },
    },
    { name: `a name with ${EVIL.length} characters and escape codes ${ESCAPES}`, make: (path) => put(path, [{}]) },
  ];
}
