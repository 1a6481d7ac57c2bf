import type { ProjectId } from '@bough/core';
import { inAnnotationOrder } from '@bough/core';
import type { ProjectRecord } from '../../store.ts';
import { allAnnotations } from '../annotations/beside.ts';
import { documentsOf } from '../foreign/index.ts';
import type { ReadableBase } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import { rawFile } from '../state/places.ts';
import { readNode, readRawFile, readRenderings } from './nodes.ts';

/**
 * Everything in a project. The list is taken at the start; a node that is removed meanwhile is an error, never a gap.
 */
export async function* exportProject(base: ReadableBase, id: ProjectId): AsyncIterable<ProjectRecord> {
  const state = projectOf(base, id);
  // What cannot be read would be missing from the copy without anyone noticing.
  const [problem] = [...state.problems, ...state.broken.values()];
  if (problem) throw problem;
  const branches = [...state.branches.values()];
  const turns = [...state.turns.values()];
  const nodes = [...state.nodes.values()];

  yield { type: 'project', value: state.project };
  for (const value of await documentsOf(base, state)) yield { type: 'foreign', value };
  for (const { branch } of branches) yield { type: 'branch', value: branch };
  for (const { turn } of turns) yield { type: 'turn', value: turn };
  for (const entry of nodes) yield { type: 'node', value: await readNode(base, state, entry) };
  for (const { calls } of turns) {
    for (const { call, hasRaw } of calls) {
      const raw = hasRaw ? await readRawFile(base, rawFile(state.directory, call.id)) : null;
      yield { type: 'call', value: call, raw };
    }
  }
  for (const { id: nodeId } of nodes) {
    for (const [key, bytes] of await readRenderings(base, state, nodeId)) {
      yield { type: 'rendering', value: { nodeId, key, bytes } };
    }
  }
  for (const value of allAnnotations(base, state).toSorted(inAnnotationOrder)) yield { type: 'annotation', value };
}
