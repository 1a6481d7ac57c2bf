import type { Annotation, NodeId, Project } from '@bough/core';
import { nodeId, projectId, questionText } from '@bough/core';
import { expect } from 'vitest';
import { buildBranch, buildProject, freshId, nextTime, searchAll, searchIn, seedProject, seedTurn } from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';
import type { Store } from '../../store.ts';
import { AWKWARD_STRINGS } from './values.ts';

const annotation = (
  project: Project,
  node: NodeId,
  kind: Annotation['kind'],
  given: Partial<Annotation> = {},
): Annotation => ({ projectId: project.id, nodeId: node, kind, name: '', text: '', changedAt: nextTime(), ...given });

async function seed(store: Store) {
  const { project, branch } = await seedProject(store);
  const { user, reply } = await seedTurn(store, project, branch, null);
  const all = [
    annotation(project, user.id, 'star'),
    annotation(project, reply.id, 'star'),
    annotation(project, reply.id, 'bookmark', { name: 'The "good" one\\' }),
    annotation(project, reply.id, 'note', { text: `Ask again. ${AWKWARD_STRINGS.join('\n')}` }),
    annotation(project, reply.id, 'verdict', { name: 'c1', text: 'shorter', verdict: 'better', blind: true }),
  ];
  await store.annotate(project.id, { put: all, remove: [] });
  return { project, user, reply, all };
}

export function annotations(rule: Rule): void {
  rule('ST-341', 'what is kept beside messages is read as it was written, the newest first', async (subject) => {
    const { store, reopen } = subject;
    const { project, user, reply, all } = await seed(store);
    const newest = all.toReversed();
    expect(await store.annotations({ projectId: project.id })).toStrictEqual(newest);
    const again = await reopen();
    expect(await again.annotations({ projectId: project.id })).toStrictEqual(newest);
    expect(await again.annotations({ projectId: project.id, nodes: [user.id] })).toStrictEqual([all[0]]);
    expect(await again.annotations({ projectId: project.id, kinds: ['note', 'bookmark'] })).toStrictEqual([
      all[3],
      all[2],
    ]);
    const everywhere = await again.annotations({ kinds: ['star'] });
    expect(everywhere.filter(({ projectId: id }) => id === project.id)).toStrictEqual([all[1], all[0]]);
    expect(await again.annotations({ nodes: [reply.id] })).toHaveLength(4);
    // The message itself is what it was.
    expect((await again.getNodes(project.id, [reply.id]))[0]).toStrictEqual(reply);
  });

  rule('ST-342', 'what has the same key is replaced; what is not there need not be removed', async ({ store }) => {
    const { project, user, reply, all } = await seed(store);
    const note = annotation(project, reply.id, 'note', { text: 'Another.' });
    const other = annotation(project, reply.id, 'bookmark', { name: 'Second' });
    const [first, star] = all;
    await store.annotate(project.id, {
      put: [note, other],
      remove: [
        { nodeId: user.id, kind: 'star', name: '' },
        { nodeId: user.id, kind: 'note', name: '' },
      ],
    });
    const now = await store.annotations({ projectId: project.id });
    expect(now).not.toContainEqual(first);
    expect(now).toStrictEqual([other, note, all[4], all[2], star]);
    const same = annotation(project, reply.id, 'star');
    await store.annotate(project.id, { put: [same], remove: [{ nodeId: reply.id, kind: 'star', name: '' }] });
    expect(await store.annotations({ projectId: project.id, kinds: ['star'] })).toStrictEqual([same]);
  });

  rule('ST-343', 'nothing is kept beside a message that is not there, nor half of a change', async ({ store }) => {
    const { project, user, all } = await seed(store);
    const nowhere = annotation(project, nodeId(freshId('nowhere')), 'star');
    const note = annotation(project, user.id, 'note', { text: 'half' });
    const half = store.annotate(project.id, { put: [note, nowhere], remove: [] });
    await expect(half).rejects.toMatchObject({ code: 'unknown_id' });
    const unnamed = annotation(project, user.id, 'bookmark', { name: ' ' });
    const bad = [unnamed, annotation(project, user.id, 'note'), annotation(project, user.id, 'star', { text: 'x' })];
    for (const one of bad) {
      const put = store.annotate(project.id, { put: [note, one], remove: [] });
      await expect(put).rejects.toMatchObject({ code: 'invalid_annotation' });
    }
    expect(await store.annotations({ projectId: project.id })).toHaveLength(all.length);
    const unknown = projectId(freshId('nowhere'));
    await expect(store.annotations({ projectId: unknown })).rejects.toMatchObject({ code: 'unknown_id' });
    await expect(store.annotate(unknown, { put: [], remove: [] })).rejects.toMatchObject({ code: 'unknown_id' });
  });

  rule('ST-344', 'it goes with its message: copies, the trash and back, and away for good', async (subject) => {
    const { store, another, reopen } = subject;
    const { project, user, reply } = await seed(store);
    const before = await snapshotProject(store, project.id);
    const other = await another();
    await other.importProject(store.exportProject(project.id));
    expect(await snapshotProject(other, project.id)).toStrictEqual(before);
    await other.deleteProject(project.id);

    const ticket = { id: freshId('entry'), deletedAt: '2026-01-01T00:00:00.000Z' };
    await store.deleteNode(project.id, reply.id, 'cascade', ticket);
    const left = await store.annotations({ projectId: project.id });
    expect(left.map(({ nodeId: beside }) => beside)).toStrictEqual([user.id]);
    const again = await reopen();
    await again.restoreTrash(ticket.id);
    expect(await snapshotProject(again, project.id)).toStrictEqual(before);

    await again.deleteProject(project.id, { ...ticket, id: `${ticket.id}-project` });
    const listed = await again.annotations({});
    expect(listed.filter(({ projectId: id }) => id === project.id)).toStrictEqual([]);
    await again.restoreTrash(`${ticket.id}-project`);
    expect(await snapshotProject(again, project.id)).toStrictEqual(before);

    await again.deleteNode(project.id, reply.id, 'reparent');
    expect((await again.annotations({ projectId: project.id })).length).toBe(1);
    await again.deleteProject(project.id);
    await again.createProject(buildProject({ id: project.id }));
    expect(await again.annotations({ projectId: project.id })).toStrictEqual([]);
  });

  rule('ST-345', 'search finds by it: stars, bookmarks, notes, and the words of a note', async ({ store }) => {
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    const word = freshId('w').replace(/\W/g, '');
    await store.annotate(project.id, {
      put: [
        annotation(project, user.id, 'star'),
        annotation(project, reply.id, 'star'),
        annotation(project, reply.id, 'note', { text: `Über ${word} nachdenken` }),
        annotation(project, user.id, 'bookmark', { name: `Place ${word}` }),
      ],
      remove: [],
    });
    const found = async (typed: string) => (await searchIn(store, project, typed)).sort();
    const both = [reply.id, user.id].sort();
    expect(await found('is:starred')).toStrictEqual(both);
    expect(await found('is:starred role:user')).toStrictEqual([user.id]);
    expect(await found('is:starred has:note')).toStrictEqual([reply.id]);
    expect(await found('is:bookmarked')).toStrictEqual([user.id]);
    expect(await found(`is:starred branch:"${branch.name}"`)).toStrictEqual(both);
    expect(await found('is:starred nothingofthesort')).toStrictEqual([]);
    expect(await found('is:judged')).toStrictEqual([]);
    expect(await found(`ube ${word}`)).toStrictEqual([]);
    expect(await found(`uber ${word}`)).toStrictEqual([reply.id]);
    expect(await found(word.slice(0, -2))).toStrictEqual(both);
    const hits = await searchAll(store, `${word} role:assistant`);
    expect(hits.map(({ kind, nodeId: id, branchId: on, matches }) => [kind, id, on, matches[0]?.where])).toStrictEqual([
      ['node', reply.id, branch.id, 'note'],
    ]);
    // Found by both, told once.
    await store.annotate(project.id, {
      put: [annotation(project, user.id, 'note', { text: user.content })],
      remove: [],
    });
    expect(await searchIn(store, project, `"${user.content}"`)).toStrictEqual([user.id]);
    await store.deleteNode(project.id, reply.id, 'cascade', {
      id: freshId('e'),
      deletedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await found('is:starred')).toStrictEqual([user.id]);
  });

  rule('ST-760', 'a question goes with its message, and is found as long as its branch is there', async (subject) => {
    const { store, another, reopen } = subject;
    const { project, branch } = await seedProject(store);
    const { user, reply } = await seedTurn(store, project, branch, null);
    const word = freshId('w').replace(/\W/g, '');
    const asked = { quote: AWKWARD_STRINGS.join(' ').slice(0, 4000), before: 'a', after: '\u0000', offset: 3 };
    const text = questionText({ ...asked, question: `Why ${word}?`, messageId: user.id });
    const fork = buildBranch(project, { name: `q/${word}`, tipId: reply.id, forkedFromId: reply.id, hidden: true });
    await store.createBranch(fork);
    const kept = annotation(project, reply.id, 'question', { name: fork.id, text });
    await store.annotate(project.id, { put: [kept], remove: [] });
    const again = await reopen();
    expect(await again.annotations({ projectId: project.id, kinds: ['question'] })).toStrictEqual([kept]);
    const other = await another();
    await other.importProject(again.exportProject(project.id));
    expect(await snapshotProject(other, project.id)).toStrictEqual(await snapshotProject(again, project.id));
    await other.deleteProject(project.id);
    expect(await searchIn(again, project, 'has:question')).toStrictEqual([reply.id]);
    const found = async () => (await searchIn(again, project, word)).filter((id) => id === reply.id);
    expect(await found()).toStrictEqual([reply.id]);
    const ticket = { id: freshId('entry'), deletedAt: '2026-01-01T00:00:00.000Z' };
    await again.deleteBranch(project.id, fork.id, ticket);
    expect(await found()).toStrictEqual([]);
    await again.restoreTrash(ticket.id);
    expect(await found()).toStrictEqual([reply.id]);
  });
}
