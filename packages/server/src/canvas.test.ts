import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFilesStore } from '@bough/store';
import { importPath } from '@bough/transfer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeDirectoryOf } from './data-directory/foreign.ts';
import { spawnServer } from './testing/process.ts';
import { line, makeRepository, REPOSITORY } from './testing/research-tree.ts';
import { readUntil, untilClosed } from './testing/screen.ts';
import type { TestServer } from './testing/start.ts';
import { allLines, endOf, say, startTestServer } from './testing/start.ts';

const TOOLS = ['canvas_read', 'canvas_replace', 'canvas_append'];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ BOUGH_STORE: 'files' });
});
afterAll(() => server.dispose());

async function project(tools: string[] = []) {
  const { client } = server;
  const { project: made } = await client.createProject({ name: 'Oaks', thinking: 'off', tools });
  await say(client, made.id, 'main', '/sim say Forty metres.');
  const read = async (ref = 'main') => (await client.canvas(made.id, ref)).canvas;
  const write = async (text: string, more: { ref?: string; inContext?: boolean } = {}) => {
    const { ref = 'main' } = more;
    return (await client.writeCanvas(made.id, { ...more, ref, text, expected: (await read(ref))?.version ?? null }))
      .canvas;
  };
  const body = async () => JSON.stringify((await client.context(made.id, { ref: 'main' })).request.body);
  return { client, id: made.id, read, write, body };
}

describe('canvas', () => {
  it('EN-740: a person writes versions; each branch has its own, and a fork begins with the one at its place', async () => {
    const { client, id, read, write } = await project();
    expect(await read()).toBeNull();
    const first = await write('# Plan\r\n\r\none');
    expect(first).toMatchObject({ text: '# Plan\n\none', by: 'person', inContext: false });
    await client.createBranch(id, { name: 'idea', fromRef: 'main' });
    await write('# Plan\n\ntwo', { ref: 'idea' });
    expect((await read())?.text).toBe('# Plan\n\none');
    expect((await read('idea'))?.text).toBe('# Plan\n\ntwo');
    const { versions } = await client.canvasHistory(id, 'idea');
    expect(versions).toMatchObject([
      { added: 1, removed: 1, characters: 11 },
      { version: first.version, added: 3, removed: 0 },
    ]);
    expect((await client.canvas(id, 'idea', first.version ?? '')).canvas?.text).toBe('# Plan\n\none');
    await expect(client.canvas(id, 'main', 'nobody')).rejects.toMatchObject({ status: 404, code: 'no_canvas' });
  });

  it('EN-741: a version that somebody else wrote meanwhile is a conflict; the same text again is no version', async () => {
    const { client, id, read, write } = await project();
    const first = await write('one');
    const second = await write('two');
    const stale = { ref: 'main', text: 'three', expected: first.version };
    await expect(client.writeCanvas(id, stale)).rejects.toMatchObject({
      status: 409,
      code: 'document_changed',
      extra: { conflicting: second.version },
    });
    // The answer to this one was lost, and it comes again.
    expect((await client.writeCanvas(id, { ...stale, text: 'two' })).canvas.version).toBe(second.version);
    expect((await client.canvasHistory(id, 'main')).versions).toHaveLength(2);
    await expect(write('x'.repeat(100_001))).rejects.toMatchObject({ status: 422, code: 'invalid_content' });
    expect((await read())?.text).toBe('two');
  });

  it('EN-741: a request with a field that does not exist is refused, and nothing is stored', async () => {
    const { client, id, read, write } = await project();
    await client.createBranch(id, { name: 'idea', fromRef: 'main' });
    await write('Elms', { ref: 'idea' });
    const refused = { code: 'invalid_request' };
    const unknown = { dryRun: true };
    const wanted = { ref: 'main', text: 'Oaks', expected: null, ...unknown };
    await expect(client.writeCanvas(id, wanted)).rejects.toMatchObject(refused);
    await expect(client.mergeCanvas(id, { ref: 'main', from: 'idea', ...unknown })).rejects.toMatchObject(refused);
    expect(await read()).toBeNull();
  });

  it('EN-742: a version that is not in the context changes no request; one that is, is added behind what was sent', async () => {
    const { client, id, write, body } = await project();
    const before = await body();
    await write('secretword');
    expect(await body()).toBe(before);
    expect(endOf(await say(client, id, 'main', '/sim say Next.')).status).toBe('complete');
    await write('openword', { inContext: true });
    const sent = await body();
    expect(sent).toContain('openword');
    expect(sent).not.toContain('secretword');
    expect(endOf(await say(client, id, 'main', '/sim say More.')).status).toBe('complete');
    await write('thirdword');
    const later = await body();
    expect(later).toContain('openword');
    expect(later.indexOf('thirdword')).toBeGreaterThan(later.indexOf('openword'));
    expect((await client.diagnostics()).rejections).toBe(0);
  });

  it('EN-743: a version waits for no answer: the reply before it is made again, and continued, as if it were not there', async () => {
    const { client, id, write } = await project();
    await write('one', { inContext: true });
    await expect(client.continueTurn(id, { ref: 'main' })).rejects.toMatchObject({ code: 'nothing_to_continue' });
    const [again] = (await client.regenerate(id, { ref: 'main', n: 1 })).turns;
    await allLines(await client.turnStream(id, again?.turnId ?? '', 0));
    const { branches } = await client.listBranches(id);
    // What follows the old reply stays in reach: the branch keeps its version.
    expect(branches).toHaveLength(2);
    expect((await client.canvas(id, 'main')).canvas?.text).toBe('one');
  });

  it('EN-744: the model reads and changes it with tools that ask first; calls of one reply work one after the other', async () => {
    const { client, id, read, write } = await project(TOOLS);
    await write('start');
    const { tools } = await client.listTools();
    expect(tools.filter(({ name }) => TOOLS.includes(name)).map(({ approval }) => approval)).toEqual([
      'ask',
      'ask',
      'ask',
    ]);
    const response = await client.chat(id, { ref: 'main', message: '/sim tools canvas_append canvas_append' });
    const lines = await readUntil(response, (_, all) => all.filter(({ type }) => type === 'approval').length === 2);
    const [group] = (await client.history(id, { ref: 'main' })).groups.slice(-1);
    // Nobody writes inside of a turn.
    await expect(write('meanwhile')).rejects.toMatchObject({ status: 409, code: 'turn_running' });
    const turnId = group?.turnId ?? '';
    for (const line of lines)
      if (line.type === 'approval') await client.approve(id, { turnId, toolCallId: line.toolCallId, approve: true });
    expect(endOf(await allLines(await client.turnStream(id, turnId, 0))).status).toBe('complete');
    const made = await read();
    expect(made).toMatchObject({ by: 'model', inContext: false });
    expect(made?.text.split('\n')).toHaveLength(3);
    expect((await client.canvasHistory(id, 'main')).versions.map(({ by }) => by)).toEqual(['model', 'model', 'person']);
  });

  it('EN-745: the canvas of another branch is merged three ways; a conflict stores nothing until it is decided', async () => {
    const { client, id, read, write } = await project();
    await write('a\nb\nc\nd\ne');
    await client.createBranch(id, { name: 'idea', fromRef: 'main' });
    await write('a\nb\nc\nd\nE', { ref: 'idea' });
    await write('A\nb\nc\nd\ne');
    const preview = await client.mergeCanvas(id, { ref: 'main', from: 'idea', preview: true });
    expect(preview).toMatchObject({ conflicts: 0, text: 'A\nb\nc\nd\nE', saved: null });
    const merged = await client.mergeCanvas(id, { ref: 'main', from: 'idea' });
    expect(merged.saved).toMatchObject({ text: 'A\nb\nc\nd\nE', mergedFrom: (await read('idea'))?.version });
    await write('A\nb\nc\nd\nours');
    await write('a\nb\nc\nd\ntheirs', { ref: 'idea' });
    await expect(client.mergeCanvas(id, { ref: 'main', from: 'main' })).rejects.toMatchObject({
      code: 'merge_with_itself',
    });
    const open = await client.mergeCanvas(id, { ref: 'main', from: 'idea' });
    expect(open).toMatchObject({ conflicts: 1, text: null, saved: null });
    expect(open.parts.filter(({ kind }) => kind === 'conflict')).toEqual([
      { kind: 'conflict', base: ['E'], ours: ['ours'], theirs: ['theirs'] },
    ]);
    expect((await read())?.text).toBe('A\nb\nc\nd\nours');
    await expect(
      client.mergeCanvas(id, { ref: 'main', from: 'idea', choices: ['ours', 'ours'] }),
    ).rejects.toMatchObject({
      code: 'invalid_content',
    });
    await client.mergeCanvas(id, { ref: 'main', from: 'idea', choices: ['both'] });
    expect((await read())?.text).toBe('A\nb\nc\nd\nours\ntheirs');
  });

  it('EN-748: what a merge decided is not asked again, and a model is not told again what it knows', async () => {
    const { client, id, read, write, body } = await project();
    await write('a\nb\nc\nd', { inContext: true });
    await client.createBranch(id, { name: 'idea', fromRef: 'main' });
    await write('a\ntheirs\nc\nd', { ref: 'idea' });
    await write('a\nours\nc\nd');
    const [told, theirs] = [await body(), (await read('idea'))?.version];
    const merged = await client.mergeCanvas(id, { ref: 'main', from: 'idea', choices: ['ours'] });
    expect(merged).toMatchObject({ conflicts: 1, saved: { text: 'a\nours\nc\nd', mergedFrom: theirs } });
    expect(await body()).toBe(told);
    const again = await client.mergeCanvas(id, { ref: 'main', from: 'idea' });
    expect(again).toMatchObject({ conflicts: 0, saved: { version: merged.saved?.version } });
    await write('a\ntheirs\nc\nD', { ref: 'idea' });
    const later = await client.mergeCanvas(id, { ref: 'main', from: 'idea' });
    expect(later).toMatchObject({ conflicts: 0, text: 'a\nours\nc\nD' });
  });

  it('EN-750: a long version is told whole where the one before is left out or behind a summary', async () => {
    const { client, id, write, body } = await project();
    const long = Array.from({ length: 900 }, (_, index) => `line ${index}`).join('\n');
    const first = await write(long, { inContext: true });
    await write(`${long}\nnext`);
    expect((await body()).split('line 450').length).toBe(2);
    await client.createBranch(id, { name: 'without', fromRef: 'main' });
    const { versions } = await client.canvasHistory(id, 'main');
    const choices = Object.fromEntries(versions.map(({ version }) => [version, 'leave_out'] as const));
    expect(Object.keys(choices)).toContain(first.version);
    await client.updateBranch(id, 'without', { choices });
    await write(`${long}\nlast`, { ref: 'without' });
    const sent = JSON.stringify((await client.context(id, { ref: 'without' })).request.body);
    expect(sent).toContain('line 450');
    const { branch } = await client.compact(id, { ref: 'main' });
    await write(`${long}\nlast`, { ref: branch.id });
    const after = JSON.stringify((await client.context(id, { ref: branch.id })).request.body);
    expect(after).toContain('line 450');
  });

  it("EN-747: ResearchTree's artefact is the canvas until somebody writes another, and stays where it was", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'bough-artefact-'));
    const text = '# Oaks\n';
    const artefactSnapshot = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
    const state = { id: 'n3', type: 'state', timestamp: 1_700_000_001_000, parent: 'n2', artefactSnapshot };
    const said = [line('n1', null, 'user', 'How tall?'), line('n2', 'n1', 'assistant', 'Forty.'), state];
    const directory = await makeRepository(dataDir, said, null);
    await writeFile(join(directory, 'artefact.md'), text);
    const git = (...words: readonly string[]): string =>
      execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
        encoding: 'utf8',
      });
    git('add', '.');
    git('commit', '--quiet', '-m', 'Canvas');
    const env = { BOUGH_STORE: 'git', BOUGH_DATA_DIR: dataDir };
    let tree = await startTestServer(env);
    try {
      const read = async () => (await tree.client.canvas(REPOSITORY, 'main')).canvas;
      expect(await read()).toMatchObject({ version: null, text, by: 'person' });
      // What both branches have of ResearchTree is what their versions have in common.
      await tree.client.createBranch(REPOSITORY, { name: 'idea', fromRef: 'main' });
      await tree.client.createBranch(REPOSITORY, { name: 'plan', fromRef: 'main' });
      await tree.client.writeCanvas(REPOSITORY, { ref: 'idea', text: `${text}\nTall.\n`, expected: null });
      const merged = await tree.client.mergeCanvas(REPOSITORY, { ref: 'plan', from: 'idea' });
      expect(merged).toMatchObject({ conflicts: 0, saved: { text: `${text}\nTall.\n` } });
      await tree.client.writeCanvas(REPOSITORY, { ref: 'main', text: '# Elms\n', expected: null });
      expect((await read())?.text).toBe('# Elms\n');
      expect(git('show', 'main:artefact.md')).toBe(text);
      // ResearchTree goes on from there: what it writes then is newer.
      await tree.dispose();
      const next = '# Firs\n';
      await writeFile(join(directory, 'artefact.md'), next);
      const lines = git('show', 'main:nodes.jsonl').trim().split('\n');
      const { id: last } = JSON.parse(lines.at(-1) ?? '') as { id: string };
      const after = {
        ...state,
        id: 'n9',
        parent: last,
        createdOnBranch: 'main',
        artefactSnapshot: createHash('sha1').update(`blob ${next.length}\0${next}`).digest('hex'),
      };
      await writeFile(join(directory, 'nodes.jsonl'), `${[...lines, JSON.stringify(after)].join('\n')}\n`);
      git('add', '.');
      git('commit', '--quiet', '-m', '[state] Artefact snapshot');
      tree = await startTestServer(env);
      expect(await read()).toMatchObject({ version: null, text: next });
      await tree.client.writeCanvas(REPOSITORY, { ref: 'main', text: '# Birches\n', expected: null });
      expect((await read())?.text).toBe('# Birches\n');
    } finally {
      await tree.dispose();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it("EN-749: an imported project has ResearchTree's artefact for its canvas, too, though its messages have other ids", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'bough-artefact-'));
    try {
      const text = '# Oaks\n';
      const artefactSnapshot = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
      const state = { id: 'n3', type: 'state', timestamp: 1_700_000_001_000, parent: 'n2', artefactSnapshot };
      const said = [line('n1', null, 'user', 'How tall?'), line('n2', 'n1', 'assistant', 'Forty.'), state];
      const directory = await makeRepository(dataDir, said, null);
      await writeFile(join(directory, 'artefact.md'), text);
      const git = ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@example.org'];
      for (const words of [
        ['add', '.'],
        ['commit', '--quiet', '-m', 'Canvas'],
      ])
        execFileSync('git', [...git, ...words]);
      const home = join(dataDir, 'home');
      const store = await openFilesStore({ directory: storeDirectoryOf(home, 'files') });
      const lock = { provider: 'simulated', model: 'sim-thinker' };
      const envelope = { ...lock, systemPrompt: null, tools: [], thinking: 'off' } as const;
      const { projects } = await importPath(store, directory, { envelope, onError: 'stop' });
      await store.close();
      const tree = await startTestServer({}, undefined, home);
      try {
        const id = projects[0]?.id ?? '';
        const read = async () => (await tree.client.canvas(id, 'main')).canvas;
        expect(await read()).toMatchObject({ version: null, text, by: 'person' });
        await tree.client.writeCanvas(id, { ref: 'main', text: '# Elms\n', expected: null });
        expect((await read())?.text).toBe('# Elms\n');
      } finally {
        await tree.dispose();
      }
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('EN-746: kill -9 behind a result loses no version that was shown and doubles none', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'bough-canvas-'));
    const env = { BOUGH_DATA_DIR: dataDir, BOUGH_STORE: 'postgres', BOUGH_SIMULATOR_PACE_MS: '30' };
    const dying = await spawnServer(env);
    const { project: made } = await dying.client.createProject({ tools: TOOLS, thinking: 'off' });
    await dying.client.updateBranch(made.id, 'main', { allowedTools: TOOLS });
    await dying.client.writeCanvas(made.id, { ref: 'main', text: 'start', expected: null });
    const response = await dying.client.chat(made.id, { ref: 'main', message: '/sim tools canvas_append steps 3' });
    const lines = await readUntil(response, (_, all) => all.filter(({ type }) => type === 'tool_result').length === 2);
    await dying.kill();
    const heir = await spawnServer(env);
    try {
      await untilClosed(heir.client, made.id);
      const { versions } = await heir.client.canvasHistory(made.id, 'main');
      const shown = lines.flatMap((line) => (line.type === 'tool_result' ? [line.canvas?.text] : []));
      expect(versions).toHaveLength(3);
      expect((await heir.client.canvas(made.id, 'main')).canvas?.text).toBe(shown.at(-1));
    } finally {
      await heir.terminate();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
