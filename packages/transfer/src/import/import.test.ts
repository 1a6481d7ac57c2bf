import type { Envelope, TreeNode } from '@bough/core';
import { projectId } from '@bough/core';
import type { ProjectRecord, Store } from '@bough/store';
import { openFilesStore } from '@bough/store';
import { foreignConversations } from '@bough/testkit';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportOptions } from './index.ts';
import { importPath, rehearseImport } from './index.ts';
import type { ImportReport } from './report.ts';

const { anthropic, chatGpt, claude, flat, openAi, uiMessages } = foreignConversations;
const ENVELOPE: Envelope = {
  provider: 'simulated',
  model: 'sim-thinker',
  systemPrompt: null,
  tools: [],
  thinking: 'medium',
};
const git = promisify(execFile);

let dir: string;
let store: Store;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-import-test-'));
  store = await openFilesStore({ directory: join(dir, 'store') });
});
afterEach(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

async function file(name: string, content: unknown): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const load = (path: string, more: Partial<ImportOptions> = {}): Promise<ImportReport> =>
  importPath(store, path, { envelope: ENVELOPE, onError: 'stop', ...more });

/** The whole store, in a comparable form. */
async function everything(): Promise<readonly ProjectRecord[]> {
  const records: ProjectRecord[] = [];
  for (const { id } of await store.listProjects())
    for await (const record of store.exportProject(id)) records.push(record);
  return records;
}

async function pathOf(report: ImportReport, branch = 'main'): Promise<readonly TreeNode[]> {
  const project = projectId(report.projects[0]?.id ?? '');
  const { tipId } = await store.getBranch(project, branch);
  return tipId === null ? [] : store.path(project, tipId);
}

const said = (nodes: readonly TreeNode[]): readonly string[] => nodes.map(({ role, content }) => `${role}: ${content}`);
const blocks = (nodes: readonly TreeNode[]): readonly string[] =>
  nodes.flatMap(({ role, contentBlocks }) => contentBlocks.map(({ type }) => `${role} ${type}`));

describe('formats', () => {
  it('IM-3: ChatGPT comes with every branch; its reasoning is shown and marked as unreplayable; what is left out is named', async () => {
    const report = await load(await file('conversations.json', [chatGpt()]));
    expect(report).toMatchObject({ nodes: 4, branches: 2, turns: 1, unsigned: 1, unreplayable: 1 });
    expect(report.leftOut).toEqual({ image_asset_pointer: 1 });
    expect(said(await pathOf(report))).toEqual([
      'user: Why are there tides?\n\n(attachment, not imported)',
      'assistant: Gravity, mostly.',
    ]);
    const other = (await store.listBranches(projectId(report.projects[0]?.id ?? ''))).find(
      ({ name }) => name !== 'main',
    );
    const path = await pathOf(report, other?.id);
    expect(blocks(path)).toEqual(['user text', 'assistant thinking', 'assistant text']);
    expect(path[1]).toMatchObject({
      thinking: { availability: 'full', truncated: false },
      modelUsed: 'gpt-5-thinking',
    });
    expect(
      await store.getRaw(projectId(report.projects[0]?.id ?? ''), path[1]?.id ?? ('' as TreeNode['id'])),
    ).toBeNull();
  });

  it('IM-4: Claude comes with its tools, each result behind its call', async () => {
    const report = await load(await file('conversations.json', [claude]));
    const path = await pathOf(report);
    expect(blocks(path)).toEqual([
      'user text',
      'assistant thinking',
      'assistant tool-use',
      'tool text',
      'assistant text',
      'user text',
    ]);
    const call = path[1]?.contentBlocks[1];
    expect(path[2]?.toolCallId).toBe(call !== undefined && 'id' in call ? call.id : 'none');
    expect(report.leftOut).toEqual({ attachment: 1 });
    expect(report.turns).toBe(2);
  });

  it('IM-5: flat conversations keep their stored turns, and old ones get theirs', async () => {
    const report = await load(await file('bread.json', flat));
    const path = await pathOf(report);
    expect(blocks(path)).toEqual([
      'user text',
      'assistant thinking',
      'assistant tool-use',
      'tool text',
      'assistant text',
      'user text',
      'assistant text',
    ]);
    const [first, , , , , second] = path;
    const project = projectId(report.projects[0]?.id ?? '');
    const turn = async (node: TreeNode | undefined) => node?.turnId != null && store.getTurn(project, node.turnId);
    expect(await turn(first)).toMatchObject({ isThinkingMode: true, status: 'complete' });
    expect(await turn(second)).toMatchObject({ isThinkingMode: false, status: 'complete' });
    expect(new Set(path.map(({ turnId }) => turnId)).size).toBe(2);
  });

  it('IM-5: within a turn everything keeps the order of its creation, also texts between tools', async () => {
    const at = (second: number) => ({ turnId: 't1', createdAt: `2025-01-01T10:00:0${second}Z` });
    const report = await load(
      await file('steps.json', {
        conversation: { id: 'c', title: 'Steps' },
        turns: [{ id: 't1', conversationId: 'c', isThinkingMode: true, createdAt: '2025-01-01T10:00:00Z' }],
        messages: [
          { id: 'm3', role: 'assistant', content: 'Done.', ...at(6) },
          { id: 'm2', role: 'assistant', content: 'First I look.', ...at(2) },
          { id: 'm1', role: 'user', content: 'Look.', ...at(0) },
        ],
        thinkBlocks: [
          { id: 'k1', content: 'Hm.', sortOrder: 1, ...at(1) },
          { id: 'k2', content: 'So.', sortOrder: 3, ...at(5) },
        ],
        toolCalls: [{ id: 'x1', toolName: 'look', arguments: '{}', result: 'seen', sortOrder: 2, ...at(3) }],
      }),
    );
    expect(
      (await pathOf(report)).map(({ role, content, contentBlocks: [block] }) => `${role} ${content || block?.type}`),
    ).toEqual([
      'user Look.',
      'assistant thinking',
      'assistant First I look.',
      'assistant tool-use',
      'tool seen',
      'assistant thinking',
      'assistant Done.',
    ]);
  });

  it('IM-6: AI SDK messages keep signatures and redacted thoughts; a step is one message, its results follow', async () => {
    const report = await load(await file('chat.json', uiMessages));
    const path = await pathOf(report);
    expect(blocks(path)).toEqual([
      'user text',
      'assistant thinking',
      'assistant redacted_thinking',
      'assistant tool-use',
      'assistant tool-use',
      'tool text',
      'tool text',
      'assistant text',
    ]);
    expect(path[1]?.contentBlocks[0]).toEqual({ type: 'thinking', thinking: 'I should look.', signature: 'sig-1' });
    expect(path[3]).toMatchObject({ toolCallId: 'c2', isError: true, content: 'no window' });
    expect(report).toMatchObject({ unsigned: 0, unreplayable: 1 });
  });

  it('IM-7: message lists of OpenAI and Anthropic, the system prompt where it belongs', async () => {
    const open = await load(await file('openai.json', openAi));
    expect(blocks(await pathOf(open))).toEqual([
      'user text',
      'assistant thinking',
      'assistant tool-use',
      'tool text',
      'assistant text',
    ]);
    expect((await store.getProject(projectId(open.projects[0]?.id ?? ''))).systemPrompt).toBe('Be brief.');
    const anthro = await load(await file('anthropic.json', anthropic));
    const path = await pathOf(anthro);
    expect(blocks(path)).toEqual([
      'user text',
      'assistant thinking',
      'assistant tool-use',
      'tool text',
      'user text',
      'assistant text',
    ]);
    expect(path[1]).toMatchObject({
      modelUsed: 'claude-sonnet-4-5',
      contentBlocks: [{ signature: 'sig-2' }, { id: 'tu1' }],
    });
  });

  it('IM-8: JSONL holds a message or a conversation a line', async () => {
    const single = await load(await file('one.jsonl', openAi.map((line) => JSON.stringify(line)).join('\n')));
    expect(single.projects).toHaveLength(1);
    expect(single.nodes).toBe(4);
    const many = await load(
      await file(
        'many.jsonl',
        [chatGpt(), claude, { messages: openAi }].map((line) => JSON.stringify(line)).join('\n'),
      ),
    );
    expect(many.projects.map(({ format }) => format)).toEqual(['chatgpt', 'claude', 'messages']);
  });

  it('IM-9: a Loom directory is read without being touched, old messages and all', async () => {
    const loom = join(dir, 'loom');
    await mkdir(join(loom, 'root-1', 'nodes'), { recursive: true });
    const node = (id: string, parent: string, child: string[], message: unknown, source: unknown) => ({
      id: `root-1/${id}`,
      root_id: 'root-1',
      parent_id: parent,
      child_ids: child,
      message,
      metadata: { timestamp: '2025-01-01T00:00:00.000Z', original_root_id: 'root-1', source_info: source },
    });
    await writeFile(
      join(loom, 'roots.json'),
      JSON.stringify([
        {
          id: 'root-1',
          child_ids: ['root-1/node-1'],
          createdAt: '2025-01-01T00:00:00.000Z',
          config: { systemPrompt: 'Be kind.' },
        },
      ]),
    );
    await writeFile(
      join(loom, 'root-1', 'nodes', 'node-1.json'),
      JSON.stringify(node('node-1', 'root-1', ['root-1/node-2'], { role: 'user', content: 'Hello' }, { type: 'user' })),
    );
    await writeFile(
      join(loom, 'root-1', 'nodes', 'node-2.json'),
      JSON.stringify(
        node(
          'node-2',
          'root-1/node-1',
          [],
          { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
          { type: 'model', provider: 'anthropic', model_name: 'claude-3', parameters: {} },
        ),
      ),
    );
    const before = await readdir(loom, { recursive: true });
    const report = await load(loom);
    expect(await readdir(loom, { recursive: true })).toEqual(before);
    expect(said(await pathOf(report))).toEqual(['user: Hello', 'assistant: Hi.']);
    expect(report.turns).toBe(1);
    // Another machine's root-1 is another conversation.
    const other = join(dir, 'other');
    await cp(loom, other, { recursive: true });
    await writeFile(
      join(other, 'roots.json'),
      JSON.stringify([
        { id: 'root-1', child_ids: ['root-1/node-1'], createdAt: '2025-05-05T00:00:00.000Z', config: {} },
      ]),
    );
    expect((await load(other)).projects[0]).toMatchObject({ outcome: 'new' });
    expect(await store.listProjects()).toHaveLength(2);
  });

  it('IM-10: a ResearchTree repository comes with its branches, raw and locks', async () => {
    const repository = join(dir, '0b6f0f0e-0000-4000-8000-000000000001');
    await mkdir(repository);
    const run = (...words: string[]) =>
      git('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words]);
    await git('git', ['init', '-q', '-b', 'main', repository]);
    const lines = [
      {
        id: 'n1',
        type: 'message',
        timestamp: 1_700_000_000_000,
        parent: null,
        role: 'user',
        content: 'Hello',
        createdOnBranch: 'main',
      },
      {
        id: 'n2',
        type: 'message',
        timestamp: 1_700_000_001_000,
        parent: 'n1',
        role: 'assistant',
        content: 'Hi.',
        createdOnBranch: 'main',
        modelUsed: 'claude-x',
        contentBlocks: [
          { type: 'thinking', thinking: 'Greet.', signature: 's' },
          { type: 'text', text: 'Hi.' },
        ],
        rawResponse: [{ event: 'message_stop', data: '{}' }],
      },
    ];
    await writeFile(
      join(repository, 'project.json'),
      JSON.stringify({
        id: '0b6f0f0e-0000-4000-8000-000000000001',
        name: 'Old',
        createdAt: '2025-01-01T00:00:00.000Z',
      }),
    );
    await writeFile(join(repository, 'nodes.jsonl'), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    await writeFile(
      join(repository, '.git', 'rt-branch-config.json'),
      JSON.stringify({ version: 1, branches: { main: { provider: 'anthropic', model: 'claude-x' } } }),
    );
    await run('add', '.');
    await run('commit', '-q', '-m', 'one');
    await run('branch', 'side');
    const report = await load(repository);
    expect(report).toMatchObject({ branches: 2, nodes: 2 });
    const path = await pathOf(report);
    expect(said(path)).toEqual(['user: Hello', 'assistant: Hi.']);
    const project = projectId(report.projects[0]?.id ?? '');
    expect((await store.getBranch(project, 'main')).envelope).toMatchObject({
      provider: 'anthropic',
      model: 'claude-x',
    });
    expect(await store.getRaw(project, path[1]?.id ?? ('' as TreeNode['id']))).toMatchObject({
      api: 'anthropic-messages',
    });
    expect((await load(repository)).projects[0]).toMatchObject({ outcome: 'unchanged' });
  });
});

describe('importing again', () => {
  it.each([
    ['ChatGPT', [chatGpt()]],
    ['Claude', [claude]],
    ['flat', flat],
    ['AI SDK', uiMessages],
    ['OpenAI', openAi],
    ['Anthropic', anthropic],
  ])('IM-11: %s a second time adds nothing', async (_, content) => {
    const path = await file('source.json', content);
    await load(path);
    const before = await everything();
    const again = await load(path);
    expect(again.projects.map(({ outcome, addedNodes }) => [outcome, addedNodes])).toEqual([['unchanged', 0]]);
    expect(await everything()).toEqual(before);
  });

  it('IM-12: a conversation that grew gets what is new, and its branch moves on', async () => {
    await load(await file('old.json', [chatGpt()]));
    const report = await load(await file('new.json', [chatGpt(true)]));
    expect(report.projects[0]).toMatchObject({ outcome: 'grown', addedNodes: 1 });
    expect(said(await pathOf(report)).at(-1)).toBe('user: And the sun?');
    expect(await store.openTurns(projectId(report.projects[0]?.id ?? ''))).toEqual([]);
  });

  it('IM-12: a branch on which somebody went another way stays where it is', async () => {
    const first = await load(await file('old.json', [chatGpt()]));
    const project = projectId(first.projects[0]?.id ?? '');
    const { id, tipId } = await store.getBranch(project, 'main');
    const [root] = await pathOf(first);
    await store.moveTip(project, id, { expected: tipId, next: root?.id ?? null });
    await load(await file('same.json', [chatGpt()]));
    // Being behind is not diverging: it advances to where the source is.
    expect((await store.getBranch(project, 'main')).tipId).toBe(tipId);
    const other = (await store.listBranches(project)).find(({ name }) => name !== 'main');
    await store.moveTip(project, id, { expected: tipId, next: other?.tipId ?? null });
    await load(await file('grown.json', [chatGpt(true)]));
    expect((await store.getBranch(project, 'main')).tipId).toBe(other?.tipId);
  });
});

describe('malformed input', () => {
  const broken = {
    ...claude,
    uuid: 'k-2',
    chat_messages: [...claude.chat_messages, { uuid: 'm4', sender: 'nobody', text: 'x', content: [] }],
  };

  it('IM-13: stop writes nothing at all and names the record', async () => {
    const path = await file('conversations.json', [claude, broken]);
    await expect(load(path)).rejects.toMatchObject({
      code: 'import_stopped',
      message: expect.stringMatching(/record 2, message m4: sender must be human or assistant\. Nothing was imported/),
    });
    expect(await store.listProjects()).toEqual([]);
  });

  it('IM-14: skip imports the rest and lists what was skipped', async () => {
    const path = await file(
      'conversations.json',
      `[${JSON.stringify(broken)},{"nonsense":true},nope,${JSON.stringify(chatGpt())}]`,
    );
    const report = await load(path, { onError: 'skip' });
    expect(report.projects.map(({ format }) => format)).toEqual(['claude', 'chatgpt']);
    expect(report.problems.map(({ where }) => where)).toEqual(['record 1, message m4', 'record 2', 'record 3']);
  });

  it('IM-13: an id that stands twice stops before anything is written', async () => {
    const path = await file('chats.json', [
      claude,
      { ...claude, uuid: 'k-3', chat_messages: [claude.chat_messages[0], claude.chat_messages[0]] },
    ]);
    await expect(load(path)).rejects.toMatchObject({ message: expect.stringContaining('stands twice') });
    expect(await store.listProjects()).toEqual([]);
  });

  it('IM-14: a Loom project with a file that cannot be read is skipped and named; the other comes', async () => {
    const loom = join(dir, 'loom');
    const root = (id: string) => ({
      id,
      child_ids: [`${id}/node-1`],
      createdAt: '2025-01-01T00:00:00.000Z',
      config: {},
    });
    for (const id of ['root-1', 'root-2']) {
      await mkdir(join(loom, id, 'nodes'), { recursive: true });
      const node = {
        id: `${id}/node-1`,
        root_id: id,
        parent_id: id,
        child_ids: [],
        message: { role: 'user', content: 'Hello' },
        metadata: { timestamp: '2025-01-01T00:00:00.000Z', original_root_id: id, source_info: { type: 'user' } },
      };
      await writeFile(join(loom, id, 'nodes', 'node-1.json'), id === 'root-1' ? '{"half":' : JSON.stringify(node));
    }
    await writeFile(join(loom, 'roots.json'), JSON.stringify([root('root-1'), root('root-2')]));
    await expect(load(loom)).rejects.toMatchObject({ code: 'import_stopped' });
    const report = await load(loom, { onError: 'skip' });
    expect(report.projects).toHaveLength(1);
    expect(report.problems).toMatchObject([
      { where: join(loom, 'root-1', 'nodes', 'node-1.json'), message: expect.stringMatching(/^cannot be read: /) },
      { where: 'root-1', message: expect.stringContaining('It was not imported') },
    ]);
  });

  it('IM-20: a Loom project that breaks on the way is skipped and named; the other comes, nothing is half there', async () => {
    const loom = join(dir, 'loom');
    for (const id of ['root-1', 'root-2']) {
      await mkdir(join(loom, id, 'bough', 'turns'), { recursive: true });
      await mkdir(join(loom, id, 'bough', 'raw'));
      await mkdir(join(loom, id, 'nodes'));
      const node = { id: `${id}/node-1`, parent_id: id, message: { role: 'user', content: 'Hello' } };
      await writeFile(join(loom, id, 'nodes', 'node-1.json'), JSON.stringify(node));
    }
    const turn = { id: 't', isThinkingMode: false, status: 'complete', createdAt: '2025-01-01T00:00:00.000Z' };
    const issuer = { provider: 'p', deployment: 'd', model: 'm' };
    const call = { id: 'c', ...issuer, status: 'complete', requestHash: '', startedAt: turn.createdAt, hasRaw: true };
    await writeFile(join(loom, 'root-1', 'bough', 'turns', 't.json'), JSON.stringify({ ...turn, calls: [call] }));
    await writeFile(join(loom, 'root-1', 'bough', 'raw', 'c.json.gz'), 'no gzip');
    await writeFile(join(loom, 'roots.json'), JSON.stringify([{ id: 'root-1' }, { id: 'root-2' }]));
    await expect(load(loom)).rejects.toMatchObject({ code: 'import_stopped' });
    const report = await load(loom, { onError: 'skip' });
    expect(report.projects.map(({ name }) => name)).toEqual(['root-2']);
    expect(report.problems).toMatchObject([{ where: 'root-1', message: expect.stringContaining('c.json.gz') }]);
    expect((await store.listProjects()).map(({ name }) => name)).toEqual(['root-2']);
  });

  it('IM-21: a link is followed where it was named, and nowhere inside', async () => {
    const real = await file('real.json', [claude]);
    await symlink(real, join(dir, 'named.json'));
    expect((await load(join(dir, 'named.json'))).projects).toHaveLength(1);
    await mkdir(join(dir, 'folder'));
    await symlink(real, join(dir, 'folder', 'conversations.json'));
    await expect(load(join(dir, 'folder'))).rejects.toMatchObject({ code: 'unknown_source' });
    await mkdir(join(dir, 'loom'));
    await symlink(real, join(dir, 'loom', 'roots.json'));
    await expect(load(join(dir, 'loom'))).rejects.toMatchObject({ code: 'link_refused' });
    await git('mkfifo', [join(dir, 'pipe')]);
    await expect(load(join(dir, 'pipe'))).rejects.toMatchObject({ code: 'unknown_source' });
  });

  it('IM-15: a rehearsal leaves a store that is there as it is', async () => {
    const path = await file('conversations.json', [claude]);
    const report = await rehearseImport(path, { envelope: ENVELOPE, onError: 'stop' });
    expect(report.nodes).toBeGreaterThan(0);
    expect(await store.listProjects()).toEqual([]);
  });

  it('IM-16: a place that holds nothing known is refused with a sentence', async () => {
    await mkdir(join(dir, 'empty'));
    await expect(load(join(dir, 'empty'))).rejects.toMatchObject({ code: 'unknown_source' });
    await expect(load(join(dir, 'nowhere'))).rejects.toMatchObject({ code: 'unknown_source' });
  });
});
