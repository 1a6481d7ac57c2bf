import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '@bough/core';

// What Loom's own code leaves behind, and a reader that refuses what Loom's refuses: one node that it cannot read, and
// Loom shows nothing of the whole root.

type Json = Readonly<Record<string, unknown>>;

const ROOT = 'root-1';
const id = (name: string): string => `${ROOT}/${name}`;

function node(name: string, parent: string | null, children: readonly string[], message: Json, more: Json): Json {
  return {
    id: id(name),
    root_id: ROOT,
    parent_id: parent === null ? ROOT : id(parent),
    child_ids: children.map(id),
    message,
    metadata: {
      timestamp: `2025-05-01T00:00:0${name.slice(-1)}.000Z`,
      original_root_id: ROOT,
      source_info: { type: 'user' },
      ...more,
    },
  };
}

const words = (role: string, text: string): Json => ({ role, content: [{ type: 'text', text }] });
const byModel = (more: Json = {}): Json => ({
  source_info: {
    type: 'model',
    provider: 'google',
    model_name: 'gemini-2.5-pro',
    parameters: { temperature: 0.7, max_tokens: 1024 },
    finish_reason: 'stop',
    usage: { input_tokens: 11, output_tokens: 7, raw: { total: 18 } },
  },
  ...more,
});

/** A directory with tags, custom data, parameters, token counts, a bookmark, and a root that the list has forgotten. */
export async function loomDirectory(directory: string): Promise<void> {
  const nodes = [
    // Its children are not in the order of their times.
    node('node-1', null, ['node-3', 'node-2'], words('user', 'How tall is an oak?'), {}),
    node('node-2', 'node-1', [], words('assistant', 'Forty metres.'), {
      ...byModel({ tags: ['good', 'oak'], custom_data: { rating: 5, by: 'me' } }),
      split_source: id('node-1'),
    }),
    node('node-3', 'node-1', [], { role: 'assistant', content: 'Tall.' }, byModel()),
  ];
  for (const one of nodes) await put(directory, `${String(one['id']).replace('/', '/nodes/')}.json`, one);
  const lost = {
    ...node('node-1', null, [], words('user', 'I was forgotten'), {}),
    id: 'root-7/node-1',
    root_id: 'root-7',
    parent_id: 'root-7',
  };
  await put(directory, 'root-7/nodes/node-1.json', lost);
  const root = { id: ROOT, createdAt: '2025-05-01T00:00:00.000Z', config: { systemPrompt: 'You are a botanist.' } };
  await put(directory, 'roots.json', [{ ...root, child_ids: [id('node-1')] }]);
  const bookmark = ['title = "The \\"good\\" one"', `rootId = "${ROOT}"`, `nodeId = "${id('node-2')}"`];
  const config = ['[providers.openai]', 'apiKey = "sk-not-for-bough"', '', '[[bookmarks]]', ...bookmark, ''];
  await writeFile(join(directory, 'config.toml'), config.join('\n'));
}

async function put(directory: string, path: string, value: unknown): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), JSON.stringify(value, null, 2));
}

/** Every file of Loom's, parsed. */
export async function loomFiles(directory: string): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(directory.length + 1);
    if (!entry.isFile() || !/^(?:roots\.json|[^/]+\/nodes\/.*\.json)$/.test(path)) continue;
    found[path] = JSON.parse(await readFile(join(directory, path), 'utf8'));
  }
  return found;
}

/** The texts of each root's messages, read as strictly as Loom reads them. */
export async function readAsLoom(directory: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const roots = JSON.parse(await readFile(join(directory, 'roots.json'), 'utf8')) as readonly Json[];
  const found: Record<string, readonly string[]> = {};
  for (const root of roots) {
    const name = String(root['id']);
    const texts: string[] = [];
    const read = async (child: unknown, parent: string): Promise<void> => {
      const [rootId, file, ...rest] = String(child).split('/');
      if (rootId !== name || !file || rest.length > 0) throw new Error(`"${String(child)}" is no node of ${name}`);
      const json = JSON.parse(await readFile(join(directory, name, 'nodes', `${file}.json`), 'utf8')) as Json;
      if (json['id'] !== child || json['parent_id'] !== parent) throw new Error(`${file} is another node`);
      texts.push(textOf(json['message']));
      for (const inner of json['child_ids'] as readonly unknown[]) await read(inner, String(child));
    };
    for (const child of root['child_ids'] as readonly unknown[]) await read(child, name);
    found[name] = texts;
  }
  return found;
}

function textOf(message: unknown): string {
  if (!isPlainObject(message)) throw new Error('a node has a message');
  const { role, content, tool_call_id: call } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') throw new Error(`Loom knows no ${String(role)}`);
  if (role === 'tool' && (typeof call !== 'string' || call.trim() === '')) throw new Error('a result names its call');
  if (typeof content === 'string' && content.trim() !== '') return content;
  if (!Array.isArray(content) || content.length === 0) throw new Error('a message says something');
  return content.map((block: unknown) => wordsOf(block, role)).join('');
}

function wordsOf(block: unknown, role: string): string {
  if (!isPlainObject(block)) throw new Error('a message consists of blocks');
  if (block['type'] === 'text' && typeof block['text'] === 'string' && block['text'].trim() !== '')
    return block['text'];
  const isCall = block['type'] === 'tool-use' && isPlainObject(block['parameters']) && role === 'assistant';
  if (isCall && String(block['id']).trim() !== '' && String(block['name']).trim() !== '') return '(call)';
  throw new Error(`Loom knows no block ${JSON.stringify(block)}`);
}
