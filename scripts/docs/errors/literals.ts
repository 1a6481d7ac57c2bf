import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '@bough/core';
import { parseAst } from 'vite';
import { root } from '../examples.ts';

// The sentences that the rulebooks and the simulator can say, read from their sources: a test case shows one message of
// a rule, and a rule may have several.

const PROTOCOLS = 'packages/providers/src/protocols';
const SIMULATOR = 'packages/simulator/src/protocols';

const FOLDERS = ['anthropic-messages', 'openai-responses', 'openai-chat', 'gemini'].map(
  (protocol) => `${PROTOCOLS}/${protocol}/rules`,
);
const FILES = [
  `${PROTOCOLS}/openai-responses/schema.ts`,
  `${PROTOCOLS}/gemini/schema.ts`,
  `${SIMULATOR}/anthropic-messages/compaction.ts`,
  `${SIMULATOR}/anthropic-messages/found.ts`,
  `${SIMULATOR}/anthropic-messages/mcp-servers.ts`,
  `${SIMULATOR}/anthropic-messages/history.ts`,
  `${SIMULATOR}/anthropic-messages/programs.ts`,
  `${SIMULATOR}/anthropic-messages/threads.ts`,
  `${SIMULATOR}/anthropic-messages/uploads.ts`,
  `${SIMULATOR}/openai-responses/container-files.ts`,
  `${SIMULATOR}/openai-responses/history.ts`,
  `${SIMULATOR}/openai-responses/pairs.ts`,
  `${SIMULATOR}/openai-responses/parameters.ts`,
  `${SIMULATOR}/gemini/history.ts`,
  `${SIMULATOR}/gemini/hops.ts`,
  `${SIMULATOR}/openai-chat/seals.ts`,
];

export function messageSources(): readonly string[] {
  const rules = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^cases\.ts$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  return [...rules, ...FILES];
}

/** The description of a rule is not one of its messages. */
const DESCRIPTIONS = new Set(['title', 'reference', 'id', 'kind']);
/** A shorter piece, or one without a blank, is a path, a key or glue. */
const SHORTEST = 14;

/** The fixed pieces of every text in a source file. */
export function sentencesIn(path: string, shortest = SHORTEST): readonly string[] {
  const tree = parseAst(readFileSync(join(root, path), 'utf8'), { lang: 'ts' });
  const pieces: string[] = [];
  collect(tree, pieces);
  return pieces.map((piece) => piece.trim()).filter((piece) => piece.length >= shortest && /\S \S/.test(piece));
}

function collect(value: unknown, pieces: string[]): void {
  if (Array.isArray(value)) for (const entry of value) collect(entry, pieces);
  if (!isPlainObject(value)) return;
  const { type, key } = value;
  if (type === 'ImportDeclaration' || isNamed(value, 'DOCS')) return;
  if (type === 'Property' && isPlainObject(key) && DESCRIPTIONS.has(String(key['name']))) return;
  if (type === 'Literal' && typeof value['value'] === 'string') pieces.push(value['value']);
  if (type === 'TemplateElement' && isPlainObject(value['value'])) pieces.push(String(value['value']['cooked']));
  for (const child of Object.values(value)) if (typeof child === 'object') collect(child, pieces);
}

/** A list of pages that rules refer to. */
function isNamed({ type, id }: Readonly<Record<string, unknown>>, name: string): boolean {
  return type === 'VariableDeclarator' && isPlainObject(id) && id['name'] === name;
}

/** The names under which the simulator logs what its own checks refuse or note. */
export function simulatorChecks(): readonly string[] {
  const names = FILES.filter((path) => path.startsWith(SIMULATOR)).flatMap((path) => [
    ...readFileSync(join(root, path), 'utf8').matchAll(/'((?:ANT-SIM|SIM-OAR|SIM-GEM)-[A-Z0-9]+)'/g),
  ]);
  return [...new Set(names.flatMap(([, name]) => name ?? []))];
}
