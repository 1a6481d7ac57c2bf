import type { ContractBackend, Section } from './harness.ts';
import { describeSections } from './harness.ts';
import { annotations } from './sections/annotations.ts';
import { blobs, largeBlobs } from './sections/blobs.ts';
import { branches } from './sections/branches.ts';
import { calls } from './sections/calls.ts';
import { commits } from './sections/commit.ts';
import { deleteNode } from './sections/delete-node.ts';
import { foreign } from './sections/foreign.ts';
import { gateway } from './sections/gateway.ts';
import { leases } from './sections/leases.ts';
import { log } from './sections/log.ts';
import { randomWork } from './sections/model.ts';
import { nodes } from './sections/nodes.ts';
import { projects } from './sections/projects.ts';
import { races } from './sections/races.ts';
import { reading } from './sections/reading.ts';
import { search } from './sections/search.ts';
import { shelf } from './sections/shelf.ts';
import { signals } from './sections/signals.ts';
import { spending } from './sections/spending.ts';
import { transfer } from './sections/transfer.ts';
import { trash } from './sections/trash.ts';
import { turns } from './sections/turns.ts';
import { unknownIds } from './sections/unknown-ids.ts';
import { upgrade } from './sections/upgrade.ts';
import { values } from './sections/values.ts';
import { openAsPlainData } from './plain-data.ts';

export type { ContractBackend, OpenedStore } from './harness.ts';

const SECTIONS: readonly Section[] = [
  values,
  projects,
  branches,
  nodes,
  deleteNode,
  trash,
  blobs,
  reading,
  search,
  turns,
  commits,
  leases,
  gateway,
  calls,
  log,
  signals,
  shelf,
  foreign,
  annotations,
  spending,
  transfer,
  upgrade,
  races,
  unknownIds,
];

/**
 * Defines what a store is: every back end runs this suite from its own test file. The rules are those of SPEC.md; one
 * that a back end cannot keep is skipped with its reason.
 */
export function describeStoreContract(name: string, backend: ContractBackend): void {
  const plain = { ...backend, open: openAsPlainData(backend.open) };
  describeSections(name, plain, [...SECTIONS, largeBlobs, randomWork]);
}

/**
 * Every rule once, without what takes long: for the same back end in other circumstances, where its own test file runs
 * all of it.
 */
export function describeEveryRule(name: string, backend: ContractBackend): void {
  describeSections(name, backend, SECTIONS);
}
