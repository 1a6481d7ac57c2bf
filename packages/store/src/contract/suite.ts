import type { ContractBackend, Rule } from './harness.ts';
import { describeWithSharedStore } from './harness.ts';
import { branches } from './sections/branches.ts';
import { calls } from './sections/calls.ts';
import { commits } from './sections/commit.ts';
import { deleteNode } from './sections/delete-node.ts';
import { leases } from './sections/leases.ts';
import { log } from './sections/log.ts';
import { randomWork } from './sections/model.ts';
import { nodes } from './sections/nodes.ts';
import { projects } from './sections/projects.ts';
import { races } from './sections/races.ts';
import { reading } from './sections/reading.ts';
import { signals } from './sections/signals.ts';
import { transfer } from './sections/transfer.ts';
import { trash } from './sections/trash.ts';
import { turns } from './sections/turns.ts';
import { unknownIds } from './sections/unknown-ids.ts';
import { upgrade } from './sections/upgrade.ts';
import { values } from './sections/values.ts';
import { openThroughJson } from './through-json.ts';

export type { ContractBackend, OpenedStore } from './harness.ts';

const SECTIONS = [
  values,
  projects,
  branches,
  nodes,
  deleteNode,
  trash,
  reading,
  turns,
  commits,
  leases,
  calls,
  log,
  signals,
  transfer,
  upgrade,
  races,
  unknownIds,
  randomWork,
];

/**
 * Defines what a store is: every back end runs this suite from its own test file, once directly and once through JSON.
 * The rules are those of SPEC.md; a rule that a back end cannot keep is skipped with its reason.
 */
export function describeStoreContract(name: string, backend: ContractBackend): void {
  describeWithSharedStore(name, 'straight', backend, everySection);
  describeWithSharedStore(name, 'through JSON', { ...backend, open: openThroughJson(backend.open) }, everySection);
}

function everySection(rule: Rule): void {
  for (const section of SECTIONS) section(rule);
}
