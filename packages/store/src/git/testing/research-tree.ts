import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject, projectId } from '@bough/core';
import { git, gitWithInput, linesAt } from './workplace.ts';

// What ResearchTree's own code leaves behind and what it reads again, step by step as that code does it: one commit per
// node, written without a checkout; merges with `-s ours`; a canvas, stars, and a pin that is never committed.

export const TREE_ID = projectId('0d7c4a52-1111-4222-8333-944455556666');

type Line = Readonly<Record<string, unknown>>;

/** A repository with everything that ResearchTree knows and Bough does not. */
export async function researchTree(root: string, id: string = TREE_ID): Promise<string> {
  const directory = join(root, id);
  await mkdir(directory, { recursive: true });
  git(directory, 'init', '--quiet');
  git(directory, 'checkout', '--quiet', '-b', 'main');
  const put = (file: string, content: string): Promise<void> => writeFile(join(directory, file), content);
  const commit = (subject: string): string => git(directory, 'commit', '--quiet', '--allow-empty', '-m', subject);
  const config = {
    version: 1,
    branches: {
      main: { provider: 'anthropic', model: 'claude-sonnet-4' },
      idea: { provider: 'openai_responses', model: 'gpt-5.2', previousResponseId: 'resp_real', isHidden: true },
    },
  };
  await writeFile(join(directory, '.git/rt-branch-config.json'), JSON.stringify(config, null, 2));
  const project = { id, name: 'Forest notes', createdAt: '2025-05-01T00:00:00.000Z', systemPrompt: 'Be brief.' };
  await put('nodes.jsonl', '');
  await put('artefact.md', '');
  await put('stars.json', `${JSON.stringify({ starredNodeIds: [] }, null, 2)}\n`);
  await put('project.json', JSON.stringify(project, null, 2));
  await put('README.md', '# Forest notes\n');
  git(directory, 'add', '.');
  commit('[init] Initialize project');
  const say = async (line: Line): Promise<void> => {
    const before = await readFile(join(directory, 'nodes.jsonl'), 'utf8');
    await put('nodes.jsonl', `${before}${JSON.stringify(line)}\n`);
    git(directory, 'add', 'nodes.jsonl');
  };
  const node = (number: number, parent: number | null, branch: string, more: Line): Line => ({
    id: `n${number}`,
    timestamp: 1_746_057_600_000 + number * 1000,
    parent: parent === null ? null : `n${parent}`,
    createdOnBranch: branch,
    ...more,
  });
  const message = (role: string, content: string, more: Line = {}): Line => ({
    type: 'message',
    role,
    content,
    ...more,
  });
  await say(node(1, null, 'main', message('user', 'How tall is an oak?', { clientRequestId: 'r1' })));
  commit('[message] user: How tall is an oak?');
  await say(node(2, 1, 'main', message('assistant', 'Forty metres.', ANTHROPIC)));
  commit('[message] assistant: Forty metres.');
  await put('artefact.md', '# Oaks\n');
  git(directory, 'add', 'artefact.md');
  await say(node(3, 2, 'main', { type: 'state', artefactSnapshot: git(directory, 'rev-parse', ':artefact.md') }));
  commit('[state] Artefact snapshot');
  git(directory, 'checkout', '--quiet', '-b', 'idea');
  await say(node(4, 3, 'idea', message('user', 'And an elm?', { uiHidden: true })));
  commit('[message] user: And an elm?');
  await say(node(5, 4, 'idea', message('assistant', 'Thirty.', RESPONSES)));
  commit('[message] assistant: Thirty.');
  const source = git(directory, 'rev-parse', 'idea');
  git(directory, 'checkout', '--quiet', '-f', 'main');
  git(directory, 'merge', '--quiet', '-s', 'ours', '--no-commit', 'idea');
  await say(
    node(6, 3, 'main', {
      type: 'merge',
      mergeFrom: 'idea',
      mergeSummary: 'Elms are thirty.',
      sourceCommit: source,
      sourceNodeIds: ['n4', 'n5'],
      mergedAssistantNodeId: 'n5',
    }),
  );
  commit('[merge] Merge idea: Elms are thirty.');
  await put('stars.json', `${JSON.stringify({ starredNodeIds: ['n2'] }, null, 2)}\n`);
  git(directory, 'add', 'stars.json');
  commit('[stars] Update starred nodes (1)');
  // The pin is noted in the work tree and never committed.
  await put('project.json', JSON.stringify({ ...project, pinnedBranchName: 'idea' }, null, 2));
  return directory;
}

const ANTHROPIC: Line = {
  modelUsed: 'claude-sonnet-4',
  tokensUsed: 31,
  responseId: 'msg_1',
  thinking: { provider: 'anthropic', availability: 'full', content: [{ type: 'thinking', thinking: 'Tall trees.' }] },
  rawResponse: [
    ['message_start', { message: { id: 'msg_1', role: 'assistant', content: [] } }],
    ['content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }],
    ['content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Tall trees.' } }],
    ['content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }],
    ['content_block_stop', { index: 0 }],
    ['content_block_start', { index: 1, content_block: { type: 'text', text: '' } }],
    ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Forty metres.' } }],
    ['content_block_stop', { index: 1 }],
    ['message_stop', {}],
  ].map(([event, data]) => ({ event, data: JSON.stringify({ type: event, ...(isPlainObject(data) ? data : {}) }) })),
  contentBlocks: [
    { type: 'thinking', thinking: 'Tall trees.' },
    { type: 'thinking_signature', signature: 'c2ln' },
    { type: 'text', text: 'Forty metres.' },
  ],
};

const RESPONSES: Line = {
  modelUsed: 'gpt-5.2',
  tokensUsed: 12,
  responseId: 'resp_real',
  // Not streamed: a list of whole bodies.
  rawResponse: [
    {
      id: 'resp_real',
      object: 'response',
      output: [{ type: 'message', id: 'm1', role: 'assistant', content: [{ type: 'output_text', text: 'Thirty.' }] }],
    },
  ],
  contentBlocks: [{ type: 'text', text: 'Thirty.' }],
};

/** Everything that can be asked of a repository, as text: equal texts are equal repositories. */
export async function stateOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const refs = git(directory, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags');
  const read = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');
  return {
    refs,
    head: git(directory, 'symbolic-ref', 'HEAD'),
    history: git(directory, 'log', '--branches', '--topo-order', '--format=%H %T %P %an %ad %s', '--', ...FILES),
    locks: await read('.git/rt-branch-config.json'),
    status: git(directory, 'status', '--porcelain'),
    log: await read('.git/logs/refs/heads/main'),
    ...Object.fromEntries(await Promise.all(FILES.map(async (file) => [file, await read(file)] as const))),
  };
}

const FILES = ['nodes.jsonl', 'artefact.md', 'stars.json', 'project.json', 'README.md'];
const PROVIDERS: ReadonlySet<unknown> = new Set(['openai', 'openai_responses', 'gemini', 'anthropic', 'mock']);

/**
 * Reads a repository as strictly as ResearchTree's code does, and fails where that would: every lock names a provider
 * that it knows, every line has the fields of its type, and each names the line above as its parent or an earlier one.
 */
export async function readAsResearchTree(directory: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { version, branches } = JSON.parse(await readFile(join(directory, '.git/rt-branch-config.json'), 'utf8')) as {
    version: unknown;
    branches: Record<string, Line>;
  };
  if (version !== 1) throw new Error('the lock file has version 1');
  for (const [name, { provider, model }] of Object.entries(branches))
    if (!PROVIDERS.has(provider) || typeof model !== 'string')
      throw new Error(`${name} is locked to ${String(provider)}`);
  const names = git(directory, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
  return Object.fromEntries(names.map((name) => [name, linesAt(directory, name).map(summaryOf)]));
}

function summaryOf(text: string): string {
  const line = JSON.parse(text) as Line;
  for (const field of ['id', 'type']) if (typeof line[field] !== 'string') throw new Error(`a line has no ${field}`);
  if (typeof line['timestamp'] !== 'number') throw new Error('a line has no time');
  if (line['type'] === 'message') {
    if (typeof line['content'] !== 'string' || typeof line['role'] !== 'string') throw new Error('a message has words');
    return `${line['role']}: ${line['content']}`;
  }
  return String(line['type']);
}

/** Adds a message as ResearchTree does: to the ref, without a checkout. */
export function continueTree(directory: string, branch: string, id: string, content: string): void {
  const lines = linesAt(directory, branch);
  const last = JSON.parse(lines.at(-1) ?? '{}') as Line;
  const line = {
    id,
    timestamp: 1_746_060_000_000,
    parent: last['id'],
    createdOnBranch: branch,
    type: 'message',
    role: 'user',
    content,
  };
  git(directory, 'checkout', '--quiet', '-f', branch);
  const text = [...lines, JSON.stringify(line)].map((one) => `${one}\n`).join('');
  git(directory, 'update-index', '--add', '--cacheinfo', `100644,${blobOf(directory, text)},nodes.jsonl`);
  git(directory, 'commit', '--quiet', '-m', `[message] user: ${content}`);
  git(directory, 'checkout', '--quiet', '-f', branch);
}

const blobOf = (directory: string, text: string): string =>
  gitWithInput(directory, text, 'hash-object', '-w', '--stdin');
