import { annotationKey, isAskedAnnotation, newestAnnotationFirst, requireAnnotation } from '@bough/core';
import type { Store } from '../../store.ts';
import type { Base } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import { entryOf } from '../state/project-state.ts';
import { changeProject } from '../write/change-project.ts';
import { allAnnotations, besideOf } from './beside.ts';

export function annotationMethods(base: Base): Pick<Store, 'annotations' | 'annotate'> {
  return {
    annotations: async (query) => {
      const states = query.projectId === undefined ? [...base.projects.values()] : [projectOf(base, query.projectId)];
      return states
        .flatMap((state) => allAnnotations(base, state))
        .filter((one) => isAskedAnnotation(one, query))
        .sort(newestAnnotationFirst);
    },

    annotate: async (id, change) => {
      const { put, remove } = structuredClone(change);
      const given = put.map((annotation) => ({ ...annotation, projectId: id }));
      given.forEach(requireAnnotation);
      await changeProject(base, id, (draft) => {
        const { state, annotations } = draft;
        for (const { nodeId } of given) entryOf(state, nodeId);
        for (const key of remove) {
          const before = annotations.get(key.nodeId) ?? besideOf(base, state, key.nodeId);
          const left = before.filter((one) => annotationKey(one) !== annotationKey(key));
          if (left.length < before.length) annotations.set(key.nodeId, left);
        }
        for (const one of given) {
          const before = annotations.get(one.nodeId) ?? besideOf(base, state, one.nodeId);
          annotations.set(one.nodeId, [...before.filter((other) => annotationKey(other) !== annotationKey(one)), one]);
        }
      });
    },
  };
}
