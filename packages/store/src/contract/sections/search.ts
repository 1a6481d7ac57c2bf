import { Readable } from 'node:stream';
import type { ContentBlock, Project, TreeNode } from '@bough/core';
import { parseSearch, SearchSyntaxError } from '@bough/core';
import { expect } from 'vitest';
import type { SearchHit } from '../../search/index.ts';
import type { Store } from '../../store.ts';
import {
  buildBranch,
  buildNode,
  buildProject,
  buildReply,
  freshId,
  idsOf,
  nextTime,
  searchAll,
  searchIn,
  seedChain,
  seedProject,
} from '../build.ts';
import type { Section } from '../harness.ts';

/** A word that no other test uses: the tests of a section share a store. */
const rareWord = (): string => freshId('w').replace(/\W/g, '');

const textOf = (hit: SearchHit | undefined): string =>
  (hit?.matches ?? [])
    .map(({ snippet }) => snippet.map(({ text, hit: found }) => (found ? `[${text}]` : text)).join(''))
    .join(' | ');

async function putText(store: Store, text: string): Promise<{ hash: string; mediaType: string; size: number }> {
  const { hash, size } = await store.blobs.put(Readable.from([Buffer.from(text)]), { limit: 1e6 });
  return { hash, mediaType: 'text/plain', size };
}

async function withFile(store: Store, project: Project, name: string, text: string): Promise<TreeNode> {
  const file = await putText(store, text);
  const block = { type: 'file', name, file, text: { ...file, characters: text.length } };
  const node = buildNode(project, null, 'see the file', {
    contentBlocks: [{ type: 'text', text: 'see the file' }, block],
  });
  await store.appendNodes(project.id, [node]);
  return node;
}

/** What somebody types, and which of the texts it finds. */
const LANGUAGES: readonly (readonly [language: string, text: string, ...typed: string[]])[] = [
  ['English', 'The quick brown Fox jumps', 'FOX', 'quick brown', '"brown fox"', 'jum'],
  ['German', 'Über große Bäume an der Straße', 'baume', 'ÜBER', 'strasse ', 'Größ'.slice(0, 3)],
  ['French', 'L’élève a trouvé son cœur à Noël', 'eleve', 'NOËL', 'coeur'],
  ['Chinese', '大语言模型会思考', '语言模型', '思', '考'],
  ['Japanese', '今日はラーメンを食べました', 'ラーメン', '食べ', '今'],
  ['Korean', '우리는 학교에서 만났다', '학교', '만났', '교'],
  ['Arabic', 'هذا كِتَابٌ جديد', 'كتاب', 'جديد'],
  ['Hindi', 'मैं हिन्दी बोलता हूँ', 'हिन्दी'],
  ['Russian', 'Ещё одно зелёное дерево', 'зеленое', 'ЕЩЕ'],
  ['emoji', 'all done 🎉 and 👍🏽', '🎉', '👍'],
  ['code', 'if (a->b) std::vector<int> foo_bar = x % 2;', 'a->b', 'std::vector', 'foo_bar', 'bar ', 'x ', '->', '%'],
];

export const search: Section = (rule) => {
  rule('ST-170', 'words are found in eight languages, in emoji and in code, and nothing else is', async ({ store }) => {
    const { project } = await seedProject(store);
    const nodes = LANGUAGES.map(([, text]) => buildNode(project, null, text));
    await store.appendNodes(project.id, nodes);
    for (const [at, [language, , ...typed]] of LANGUAGES.entries()) {
      for (const words of typed) {
        const found = await searchIn(store, project, words);
        expect([language, words, found]).toStrictEqual([language, words, [nodes[at]?.id]]);
      }
    }
    for (const absent of ['absent', 'umps', '型模', '"fox brown"', 'fox -quick'])
      expect([absent, await searchIn(store, project, absent)]).toStrictEqual([absent, []]);
  });

  rule('ST-171', 'text, reasoning, tools, files and their texts are searched, and told apart', async (subject) => {
    const { store } = subject;
    const { project } = await seedProject(store);
    const word = rareWord();
    const reply = buildReply(project, null, 'plain', {
      contentBlocks: [
        { type: 'thinking', thinking: `pondering ${word}1` },
        { type: 'text', text: `saying ${word}2` },
        { type: 'tool-use', id: 'call', name: 'look_up', parameters: { query: [`${word}3\nline`] } },
      ] satisfies ContentBlock[],
      content: `saying ${word}2`,
    });
    const result = buildNode(project, reply, `result ${word}4`, { role: 'tool', toolCallId: 'call' });
    await store.appendNodes(project.id, [reply, result]);
    const attached = await withFile(store, project, `${word}5.txt`, `${'filler '.repeat(5000)} ${word}6 end`);
    const reopened = await subject.reopen();
    const where = async (typed: string) =>
      (await searchAll(reopened, typed)).map(({ nodeId, matches }) => [nodeId, ...matches.map((match) => match.where)]);
    expect(await where(`${word}1`)).toStrictEqual([[reply.id, 'reasoning']]);
    expect(await where(`${word}2`)).toStrictEqual([[reply.id, 'text']]);
    expect(await where(`${word}3`)).toStrictEqual([[reply.id, 'tool']]);
    expect(await where(`${word}4`)).toStrictEqual([[result.id, 'tool']]);
    expect(await where(`${word}5`)).toStrictEqual([[attached.id, 'file']]);
    expect(await where(`file ${word}6`)).toStrictEqual([[attached.id, 'text', 'file']]);
    const [hit] = await searchAll(reopened, `${word}6`);
    expect(hit?.matches[0]).toMatchObject({ where: 'file', file: `${word}5.txt` });
    expect(textOf(hit)).toContain(`[${word}6] end`);
  });

  rule(
    'ST-172',
    'names of projects come first, then messages, then branches; newest first, in pages',
    async (subject) => {
      const { store } = subject;
      const word = rareWord();
      const projects = [
        buildProject({ name: `About ${word}` }),
        buildProject({ description: `also ${word}`, archived: true }),
      ];
      for (const project of projects) await store.createProject(project);
      const [first, second] = projects;
      if (!first || !second) throw new Error('two projects');
      const branch = buildBranch(first, { name: `${word} branch`, hidden: true });
      await store.createBranch(branch);
      const older = buildNode(second, null, `older ${word}`, { createdAt: nextTime() });
      const newer = buildNode(first, null, `newer ${word}`, { createdAt: nextTime() });
      await store.appendNodes(first.id, [newer]);
      await store.appendNodes(second.id, [older]);
      const expected = [
        ['project', second.id],
        ['project', first.id],
        ['node', newer.id],
        ['node', older.id],
        ['branch', branch.id],
      ];
      const shown = (hits: readonly SearchHit[]) =>
        hits.map(({ kind, projectId, nodeId, branchId }) => [
          kind,
          kind === 'project' ? projectId : kind === 'node' ? nodeId : branchId,
        ]);
      for (const limit of [1, 2, 50])
        expect(shown(await searchAll(store, word, undefined, limit))).toStrictEqual(expected);
      expect(shown(await searchAll(store, word, [first.id]))).toStrictEqual([expected[1], expected[2], expected[4]]);
      await store.updateProject(first.id, { name: 'Renamed' });
      await store.updateBranch(first.id, branch.id, { name: 'renamed' });
      const reopened = await subject.reopen();
      expect(shown(await searchAll(reopened, word))).toStrictEqual([expected[0], expected[2], expected[3]]);
      await expect(store.search({ query: parseSearch(word), limit: 5, cursor: 'nonsense' })).rejects.toBeInstanceOf(
        SearchSyntaxError,
      );
    },
  );

  rule('ST-173', 'filters: project, branch, role, model, time, files', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const word = rareWord();
    const named = buildProject({ name: `Project ${word}` });
    await store.createProject(named);
    const other = buildNode(named, null, `${word} elsewhere`);
    await store.appendNodes(named.id, [other]);
    const user = buildNode(project, null, `${word} asks`, { createdAt: '2026-03-01T10:00:00.000Z' });
    const reply = buildReply(project, user, `${word} answers`, {
      modelUsed: 'claude-opus-5',
      createdAt: '2026-03-02T10:00:00.000Z',
    });
    const aside = buildReply(project, user, `${word} aside`, {
      modelUsed: 'gpt-6',
      createdAt: '2026-03-03T10:00:00.000Z',
    });
    await store.appendNodes(project.id, [user, reply, aside]);
    await store.moveTip(project.id, branch.id, { expected: null, next: reply.id });
    const attached = await withFile(store, project, 'notes.txt', `${word} notes`);
    for (const [typed, expected] of [
      [`${word} role:user`, [attached, user]],
      [`${word} role:assistant`, [aside, reply]],
      [`${word} model:claude`, [reply]],
      [`${word} model:gpt`, [aside]],
      [`${word} after:2026-03-02 before:2026-03-03`, [reply]],
      [`${word} has:file`, [attached]],
      ['has:file role:user', [attached]],
      [`${word} branch:main`, [reply, user]],
      [`${word} branch:${branch.id} role:user`, [user]],
    ] as const) {
      const inOrder = [...expected].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
      expect([typed, await searchIn(store, project, typed)]).toStrictEqual([typed, idsOf(inOrder)]);
    }
    const found = (await searchAll(store, `${word} in:"project ${word}"`)).map(
      ({ nodeId, projectId }) => nodeId ?? projectId,
    );
    expect(found).toStrictEqual([named.id, other.id]);
    for (const refused of [`${word} in:"no such name"`, `${word} branch:main`, `in:${project.id} branch:none`])
      await expect(searchAll(store, refused)).rejects.toBeInstanceOf(SearchSyntaxError);
    // Whoever searches one project learns nothing of others, not even that they are there.
    const told = async (name: string): Promise<unknown> =>
      searchIn(store, project, `${word} in:"${name}"`).catch((error: unknown) => String(error).replace(name, '…'));
    expect(await told(named.id)).toBe(await told('no such name'));
    expect(await told(`project ${word}`)).toBe(await told('no such name'));
    expect(await told(project.name.toUpperCase())).toStrictEqual(await searchIn(store, project, word));
  });

  rule('ST-174', 'a message names a branch that leads to it: a visible one that was used last', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const word = rareWord();
    const [root, middle, end] = await seedChain(store, project, null, [`root ${word}`, 'middle', `end ${word}`]);
    const lost = buildNode(project, root ?? null, `abandoned ${word}`);
    if (!root || !middle || !end) throw new Error('three nodes');
    await store.appendNodes(project.id, [lost]);
    await store.moveTip(project.id, branch.id, { expected: null, next: root.id });
    const later = buildBranch(project, { tipId: end.id });
    await store.createBranch(later);
    const hidden = buildBranch(project, { tipId: end.id, hidden: true });
    await store.createBranch(hidden);
    const leading = async () =>
      Object.fromEntries((await searchAll(store, word)).map(({ nodeId, branchId }) => [nodeId, branchId]));
    expect(await leading()).toStrictEqual({ [root.id]: later.id, [end.id]: later.id, [lost.id]: null });
    await store.deleteBranch(project.id, later.id);
    expect(await leading()).toStrictEqual({ [root.id]: branch.id, [end.id]: hidden.id, [lost.id]: null });
  });

  rule('ST-175', 'what was deleted is not found, what was restored is', async (subject) => {
    const { store } = subject;
    const { project } = await seedProject(store);
    const word = rareWord();
    const [kept, gone] = await seedChain(store, project, null, [`kept ${word}`, `gone ${word}`]);
    if (!kept || !gone) throw new Error('two nodes');
    expect(await searchIn(store, project, word)).toStrictEqual([gone.id, kept.id]);
    const ticket = { id: freshId('ticket'), deletedAt: nextTime() };
    await store.deleteNode(project.id, gone.id, 'cascade', ticket);
    expect(await searchIn(store, project, word)).toStrictEqual([kept.id]);
    await store.restoreTrash(ticket.id);
    expect(await searchIn(await subject.reopen(), project, word)).toStrictEqual([gone.id, kept.id]);
    const now = await subject.reopen();
    const whole = { id: freshId('ticket'), deletedAt: nextTime() };
    await now.deleteProject(project.id, whole);
    expect(await searchAll(now, word)).toStrictEqual([]);
    await now.restoreTrash(whole.id);
    expect(await searchIn(now, project, word)).toStrictEqual([gone.id, kept.id]);
  });

  rule('ST-176', 'a message with more words than an index takes is found by each of them', async ({ store }) => {
    const { project } = await seedProject(store);
    const word = rareWord();
    const long = buildNode(project, null, Array.from({ length: 120_000 }, (_, at) => `${word}x${at}`).join(' '));
    await store.appendNodes(project.id, [long, buildNode(project, null, `${word} short`)]);
    expect(await searchIn(store, project, `${word}x119999 `)).toStrictEqual([long.id]);
    expect(await searchIn(store, project, `${word}x120000 `)).toStrictEqual([]);
  });

  rule('ST-177', 'an import is found as it was where it came from', async ({ store, another }) => {
    const { project } = await seedProject(store);
    const word = rareWord();
    const attached = await withFile(store, project, 'notes.txt', `${word} in a file`);
    const plain = buildNode(project, null, `${word} in a message`);
    await store.appendNodes(project.id, [plain]);
    const target = await another();
    await putText(target, `${word} in a file`);
    await target.importProject(store.exportProject(project.id));
    expect(await searchIn(target, project, word)).toStrictEqual([plain.id, attached.id]);
    expect(await searchAll(target, word)).toStrictEqual(await searchAll(store, word));
  });
};
