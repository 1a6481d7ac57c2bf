import type { ProjectId } from '@bough/core';
import { inAnnotationOrder } from '@bough/core';
import type { ProjectRecord, Store } from '../../store.ts';
import { allAnnotations } from '../annotations/read.ts';
import { documentsOfProject } from '../foreign/documents.ts';
import { RENDERINGS } from '../meta/layout.ts';
import { readRendering } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { branchesInOrder, branchOf } from '../project/state.ts';
import { byStorage } from '../tree/node-index.ts';
import { everyCall, everyTurn } from './every-turn.ts';
import { directoryOf, readEntry, subjectOf } from './turn-files.ts';

export function exportOperation(open: (id: ProjectId) => Promise<OpenProject>): Pick<Store, 'exportProject'> {
  return {
    exportProject: async function* (id): AsyncIterable<ProjectRecord> {
      const project = await open(id);
      const state = project.state();
      yield { type: 'project', value: state.project };
      for (const value of await documentsOfProject(project)) yield { type: 'foreign', value };
      for (const record of branchesInOrder(state)) yield { type: 'branch', value: branchOf(state, record) };
      for await (const value of everyTurn(project)) yield { type: 'turn', value };
      yield* nodesOf(project);
      for await (const { call, raw } of everyCall(project)) {
        yield { type: 'call', value: call, raw: raw === null ? null : await raw() };
      }
      yield* renderingsOf(project);
      for (const value of allAnnotations(project.state()).toSorted(inAnnotationOrder))
        yield { type: 'annotation', value };
    },
  };
}

/** Nodes held in memory at the same time. */
const PAGE = 200;

async function* nodesOf(project: OpenProject): AsyncIterable<ProjectRecord> {
  const nodes = [...project.state().index.all()].sort(byStorage);
  for (let start = 0; start < nodes.length; start += PAGE) {
    for (const value of await project.nodes.read(nodes.slice(start, start + PAGE))) yield { type: 'node', value };
  }
}

async function* renderingsOf(project: OpenProject): AsyncIterable<ProjectRecord> {
  for (const shard of (await directoryOf(project, RENDERINGS)).keys()) {
    const path = `${RENDERINGS}/${shard}`;
    const entries = await directoryOf(project, path);
    for (const name of entries.keys()) {
      const bytes = await readEntry(project, entries, name);
      yield { type: 'rendering', value: readRendering(bytes, subjectOf(project, `${path}/${name}`)) };
    }
  }
}
