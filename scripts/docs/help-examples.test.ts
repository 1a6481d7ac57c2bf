import { COMMANDS, run } from '@bough/cli';
import { startSimulator } from '@bough/simulator';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Place } from '../../packages/cli/src/testing/run-cli.ts';
import { makePlace } from '../../packages/cli/src/testing/run-cli.ts';

/**
 * What the help shows is true: each example is run with one project, which is what a reader has after the first
 * conversation.
 */

const NOT_RUN: Readonly<Record<string, string>> = {
  'bough serve --port 8080 --open': 'it opens a browser',
  'bough run -- claude': 'the client is another program; packages/cli/src/commands/run.test.ts runs one in its place',
  'bough run -- codex exec "What is in this folder?"': 'the same',
  'bough run --provider simulated -- claude -p "Hello"': 'the same',
};
/** The smallest picture. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** The node that examples name. */
const NODE = '1f0c2a9e';

const examples = COMMANDS.flatMap((command) => command.examples);

let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

describe('the examples of the help', () => {
  it('are run, but for those that are listed with their reasons', () => {
    expect(Object.keys(NOT_RUN).filter((example) => !examples.includes(example))).toEqual([]);
  });

  it.each(examples.filter((example) => !(example in NOT_RUN)))('%s', async (example) => {
    const place = await prepared();
    const words = wordsOf(example, place.dir);
    if (words.includes('--preset')) await addPreset(place);
    // A user message is edited; every other command that names a node means a reply.
    const node = words.includes(NODE) ? await nodeOf(place, words[0] === 'edit' ? 'user' : 'assistant') : NODE;
    const code = await runUntilServing(
      place,
      words.map((word) => (word === NODE ? node : word)),
    );
    expect(code).toBe(0);
  });
});

async function prepared(): Promise<Place> {
  const place = await makePlace({
    PORT: '0',
    GEMINI_API_KEY: 'any',
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_BASE_URL: simulator.url,
  });
  onTestFinished(place.dispose);
  const begun = await place.bough([
    'chat',
    '--name',
    'Sky colours',
    '-m',
    'Why is the sky blue?',
    '--provider',
    'simulated',
  ]);
  expect(begun.code, begun.err).toBe(0);
  await place.bough(['export', 'Sky colours', '--out', 'bundle']);
  // What `bough merge` brings to main.
  await place.bough(['branch', 'idea', '--from', 'main', '-p', 'Sky colours']);
  await place.bough(['chat', '-p', 'Sky colours', '-b', 'idea', '-m', 'And the sea?']);
  await mkdir(join(place.dir, 'Downloads'));
  await writeFile(join(place.dir, 'Downloads', 'conversations.json'), JSON.stringify([CONVERSATION]));
  await writeFile(join(place.dir, 'bough.config.json'), '{}');
  await writeFile(join(place.dir, 'server.log'), 'Something went wrong.\n');
  await writeFile(join(place.dir, 'plan.md'), '# Plan\n');
  await writeFile(join(place.dir, 'sky.png'), Buffer.from(DOT, 'base64'));
  await writeFile(join(place.dir, 'questions.txt'), 'Why is the sky blue?\nWhy is grass green?\n');
  await mkdir(join(place.dir, '.loom'));
  await writeFile(join(place.dir, '.loom', 'roots.json'), '[]');
  const sessions = join(place.dir, '.claude', 'projects', 'sky');
  await mkdir(sessions, { recursive: true });
  const record = {
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    sessionId: 's1',
    message: { role: 'user', content: 'Hi' },
  };
  await writeFile(join(sessions, 's1.jsonl'), `${JSON.stringify(record)}\n`);
  return place;
}

/** The preset that examples name. */
async function addPreset(place: Place): Promise<void> {
  const server = await place.serve();
  const response = await fetch(`${server.url}/api/presets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Reviewer', provider: 'simulated', model: 'sim-thinker' }),
  });
  expect(response.status).toBe(201);
  await server.stop();
}

/** The minimum that ChatGPT exports. */
const CONVERSATION = {
  id: 'c1',
  title: 'Greeting',
  create_time: 1_700_000_000,
  current_node: 'm1',
  mapping: {
    m1: {
      id: 'm1',
      parent: null,
      children: [],
      message: {
        id: 'm1',
        author: { role: 'user' },
        create_time: 1_700_000_000,
        content: { content_type: 'text', parts: ['Hello'] },
      },
    },
  },
};

async function nodeOf(place: Place, role: 'user' | 'assistant'): Promise<string> {
  const { json } = await place.bough(['log', 'main', '--json']);
  const nodes = json() as readonly { readonly id: string; readonly role: string }[];
  const found = nodes.find((node) => node.role === role);
  if (found === undefined) throw new Error(`There is no ${role} node.`);
  return found.id;
}

/** The words after `bough`, as a shell would pass them; redirections and pipes are up to the shell. */
function wordsOf(example: string, home: string): readonly string[] {
  const command = (/<\((.*)\)/.exec(example)?.[1] ?? example).split(/ [|>] /)[0] ?? '';
  const [, ...words] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
  return words.map((word) => word.replace(/^~/, home));
}

/** A server is told to stop as soon as it has printed its address. */
async function runUntilServing(place: Place, words: readonly string[]): Promise<number> {
  const stop = new AbortController();
  const isServer = words[0] === undefined || words[0] === 'serve';
  return run(words, {
    env: place.env,
    cwd: place.dir,
    write: () => isServer && stop.abort(),
    warn: () => undefined,
    input: Readable.from(['']),
    isInteractive: false,
    signal: stop.signal,
  });
}
