import type { NodeId } from '@bough/core';
import type { Finding } from '../finding.ts';
import type { ProjectIndex } from '../project-index.ts';

/** Every node descends from a root through parents that exist, and every branch points to a node that exists. */
export function checkTree(index: ProjectIndex): readonly Finding[] {
  const { project, nodes, branches } = index;
  const reached = reachedFromRoots(index);
  const findings: Finding[] = [];
  for (const { id, parentId } of nodes.values()) {
    if (parentId !== null && !nodes.has(parentId)) {
      findings.push({
        code: 'parent_missing',
        severity: 'error',
        projectId: project.id,
        subject: `node ${id}`,
        message: `Its parent ${parentId} does not exist, so no path leads to it. Restore the parent from a backup.`,
        repair: null,
      });
    } else if (!reached.has(id) && isOnCircle(index, id)) {
      findings.push({
        code: 'parents_in_a_circle',
        severity: 'error',
        projectId: project.id,
        subject: `node ${id}`,
        message: 'Its parents lead back to itself. Restore its real parent from a backup.',
        repair: null,
      });
    }
  }
  for (const branch of branches) findings.push(...checkBranch(index, branch));
  return findings;
}

function checkBranch(index: ProjectIndex, branch: ProjectIndex['branches'][number]): Finding[] {
  const { project, nodes } = index;
  const { tipId, forkedFromId } = branch;
  const about = { projectId: project.id, subject: `branch ${branch.name}` };
  const findings: Finding[] = [];
  if (tipId !== null && !nodes.has(tipId)) {
    const next = newestOf(index, branch.id);
    const where = next === null ? 'nothing, as no node was made on it' : `${next}, the newest node that was made on it`;
    findings.push({
      ...about,
      code: 'tip_missing',
      severity: 'error',
      message: `Its tip ${tipId} does not exist. It can point to ${where}.`,
      repair: { type: 'move_tip', projectId: project.id, branchId: branch.id, expected: tipId, next },
    });
  }
  if (forkedFromId !== null && !nodes.has(forkedFromId)) {
    findings.push({
      ...about,
      code: 'fork_point_missing',
      severity: 'note',
      message: `The node ${forkedFromId} that it was forked from does not exist any more.`,
      repair: null,
    });
  }
  return findings;
}

/** Nodes come in the order of storage: the last one is the newest. */
function newestOf({ nodes }: ProjectIndex, branch: string): NodeId | null {
  let newest: NodeId | null = null;
  for (const { id, createdOnBranch } of nodes.values()) if (createdOnBranch === branch) newest = id;
  return newest;
}

function reachedFromRoots({ children }: ProjectIndex): Set<NodeId> {
  const reached = new Set<NodeId>((children.get(null) ?? []).map(({ id }) => id));
  for (const id of reached) for (const child of children.get(id) ?? []) reached.add(child.id);
  return reached;
}

function isOnCircle({ nodes }: ProjectIndex, start: NodeId): boolean {
  const seen = new Set<NodeId>();
  let current = nodes.get(start)?.parentId ?? null;
  while (current !== null && current !== start && !seen.has(current)) {
    seen.add(current);
    current = nodes.get(current)?.parentId ?? null;
  }
  return current === start;
}
