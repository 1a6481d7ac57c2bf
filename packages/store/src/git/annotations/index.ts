import type { Annotation, NodeId } from '@bough/core';
import { annotationKey, isAskedAnnotation, newestAnnotationFirst, requireAnnotation } from '@bough/core';
import type { Store } from '../../store.ts';
import { annotationsFile } from '../meta/layout.ts';
import type { Registry } from '../registry/registry.ts';
import { allAnnotations, setOrForget, writeAnnotations } from './read.ts';
import { draftStars } from './stars.ts';

export function annotationOperations(registry: Registry): Pick<Store, 'annotations' | 'annotate'> {
  return {
    annotations: async (query) => {
      const found: Annotation[] = [];
      if (query.projectId !== undefined) found.push(...allAnnotations((await registry.open(query.projectId)).state()));
      else for await (const project of registry.withAnnotations()) found.push(...allAnnotations(project.state()));
      return found.filter((one) => isAskedAnnotation(one, query)).sort(newestAnnotationFirst);
    },

    annotate: async (id, { put, remove }) => {
      const given = put.map((annotation) => ({ ...annotation, projectId: id }));
      given.forEach(requireAnnotation);
      const project = await registry.open(id);
      await project.write('Change what is kept beside messages', async (draft, state) => {
        for (const { nodeId } of given) state.index.get(nodeId);
        const after = new Map<NodeId, readonly Annotation[]>(state.annotations);
        const changed = new Set<NodeId>();
        const without = (nodeId: NodeId, key: string): readonly Annotation[] =>
          (after.get(nodeId) ?? []).filter((one) => annotationKey(one) !== key);
        for (const key of remove) {
          const left = without(key.nodeId, annotationKey(key));
          if (left.length === (after.get(key.nodeId)?.length ?? 0)) continue;
          setOrForget(after, key.nodeId, left);
          changed.add(key.nodeId);
        }
        for (const one of given) {
          after.set(one.nodeId, [...without(one.nodeId, annotationKey(one)), one]);
          changed.add(one.nodeId);
        }
        for (const node of changed) {
          const beside = after.get(node);
          draft.files.set(annotationsFile(node), beside === undefined ? null : writeAnnotations(node, beside));
        }
        const stars = await draftStars(project, draft, state, after);
        const apply = (): void => {
          state.annotations.clear();
          for (const [node, beside] of after) state.annotations.set(node, beside);
        };
        return { result: undefined, apply: [...stars, apply] };
      });
    },
  };
}
