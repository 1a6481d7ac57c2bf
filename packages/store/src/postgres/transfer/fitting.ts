import { annotationKey, requireAnnotation, UnknownIdError } from '@bough/core';
import { StoreError } from '../../errors.ts';
import { requireForeignName } from '../../foreign.ts';
import type { ProjectRecord } from '../../store.ts';
import { idTaken } from '../expectations.ts';

/**
 * Passes the records of a project through if they fit together: the project first and once, ids once, everything after
 * what it points to. The database would refuse most violations too, but could not say which record was to blame, nor
 * find a cycle of parents.
 */
export async function* fitting(records: AsyncIterable<ProjectRecord>): AsyncIterable<ProjectRecord> {
  const known = {
    turn: new Set<string>(),
    node: new Set<string>(),
    call: new Set<string>(),
    branch: new Set<string>(),
    'foreign document': new Set<string>(),
    annotation: new Set<string>(),
  };
  const pointers: string[] = [];
  let project: string | null = null;

  const require = (kind: 'turn' | 'node', id: string | null): void => {
    if (id !== null && !known[kind].has(id)) throw new UnknownIdError(kind, id);
  };
  const claim = (kind: keyof typeof known, id: string): void => {
    if (known[kind].has(id)) throw idTaken(kind, id);
    known[kind].add(id);
  };

  for await (const record of records) {
    if ((record.type === 'project') !== (project === null)) throw misplaced(record);
    if (record.type === 'project') project = record.value.id;
    else if (record.type !== 'rendering' && record.value.projectId !== project) throw misplaced(record);
    switch (record.type) {
      case 'project':
        break;
      case 'foreign':
        requireForeignName(record.value.name);
        claim('foreign document', record.value.name);
        break;
      case 'branch':
        claim('branch', record.value.id);
        for (const id of [record.value.tipId, record.value.forkedFromId]) if (id !== null) pointers.push(id);
        break;
      case 'turn':
        claim('turn', record.value.id);
        break;
      case 'node':
        require('node', record.value.parentId);
        require('turn', record.value.turnId);
        claim('node', record.value.id);
        break;
      case 'call':
        require('turn', record.value.turnId);
        require('node', record.value.nodeId);
        claim('call', record.value.id);
        break;
      case 'rendering':
        require('node', record.value.nodeId);
        break;
      case 'annotation':
        requireAnnotation(record.value);
        require('node', record.value.nodeId);
        claim('annotation', annotationKey(record.value));
        break;
    }
    yield record;
  }
  for (const id of pointers) require('node', id);
}

function misplaced(record: ProjectRecord): StoreError {
  return new StoreError(
    'invalid_import',
    record.type,
    `An import holds one project, which comes first, and what belongs to it; this ${record.type} does not. Nothing was imported.`,
  );
}
