import { projectId } from '@bough/core';
import { expect } from 'vitest';
import type { ForeignDocument } from '../../foreign.ts';
import { buildProject, freshId, seedProject, seedTurn } from '../build.ts';
import type { Rule } from '../harness.ts';
import { snapshotProject } from '../snapshot.ts';
import { AWKWARD_STRINGS } from './values.ts';

const documentsOf = (project: { readonly id: ForeignDocument['projectId'] }): readonly ForeignDocument[] => [
  { projectId: project.id, name: 'other/a/0001', holds: {}, value: [{ z: 1, a: [null, AWKWARD_STRINGS] }] },
  { projectId: project.id, name: 'other/b', holds: { merge: 2, 'state of the canvas': 1 }, value: { text: 'x\u0000' } },
];

export function foreign(rule: Rule): void {
  rule('ST-200', 'documents of another program are read as they were written, by every server', async (subject) => {
    const { store, reopen } = subject;
    const { project } = await seedProject(store);
    expect(await store.foreignDocuments(project.id)).toStrictEqual([]);
    const documents = documentsOf(project);
    await store.replaceForeign(project.id, [...documents].reverse());
    expect(await store.foreignDocuments(project.id)).toStrictEqual(documents);
    const reopened = await reopen();
    expect(await reopened.foreignDocuments(project.id)).toStrictEqual(documents);
    expect(JSON.stringify(await reopened.foreignDocuments(project.id))).toBe(JSON.stringify(documents));
    const [, second] = documents;
    if (!second) throw new Error('two documents were made');
    await reopened.replaceForeign(project.id, [{ ...second, value: 'another' }]);
    expect(await reopened.foreignDocuments(project.id)).toStrictEqual([{ ...second, value: 'another' }]);
    await reopened.replaceForeign(project.id, []);
    expect(await reopened.foreignDocuments(project.id)).toStrictEqual([]);
  });

  rule('ST-201', 'a document has a plain name, and belongs to a project that is there', async ({ store }) => {
    const { project } = await seedProject(store);
    await store.replaceForeign(project.id, documentsOf(project));
    for (const name of ['../x', 'A', 'a//b', '/a', 'a/', '', 'a b', 'a/../b', 'x'.repeat(300)]) {
      const bad = [{ projectId: project.id, name, holds: {}, value: 1 }];
      await expect(store.replaceForeign(project.id, bad)).rejects.toMatchObject({ code: 'invalid_document_name' });
    }
    expect(await store.foreignDocuments(project.id)).toStrictEqual(documentsOf(project));
    const nowhere = projectId(freshId('nowhere'));
    await expect(store.foreignDocuments(nowhere)).rejects.toMatchObject({ code: 'unknown_id' });
    await expect(store.replaceForeign(nowhere, [])).rejects.toMatchObject({ code: 'unknown_id' });
  });

  rule('ST-202', 'documents go wherever their project goes: copies, the trash, and away with it', async (subject) => {
    const { store, another } = subject;
    const { project, branch } = await seedProject(store);
    await seedTurn(store, project, branch, null);
    const documents = documentsOf(project);
    await store.replaceForeign(project.id, documents);
    const before = await snapshotProject(store, project.id);
    const other = await another();
    await other.importProject(store.exportProject(project.id));
    expect(await other.foreignDocuments(project.id)).toStrictEqual(documents);
    expect(await snapshotProject(other, project.id)).toStrictEqual(before);
    const entry = freshId('entry');
    await store.deleteProject(project.id, { id: entry, deletedAt: '2026-01-01T00:00:00.000Z' });
    await store.restoreTrash(entry);
    expect(await snapshotProject(store, project.id)).toStrictEqual(before);
    await store.deleteProject(project.id);
    await store.createProject(buildProject({ id: project.id }));
    expect(await store.foreignDocuments(project.id)).toStrictEqual([]);
  });
}
