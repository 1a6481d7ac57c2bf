import type { NodeId, TurnId } from '@bough/core';
import type { Finding } from '../finding.ts';
import type { IndexedNode, ProjectIndex } from '../project-index.ts';

/** Every turn is one connected piece of the tree, and has ended with a reply or is still under way. */
export function checkTurns(index: ProjectIndex): readonly Finding[] {
  const { project, nodes, turns, calls } = index;
  const byTurn = new Map<TurnId, IndexedNode[]>();
  const findings: Finding[] = [];
  const note = (finding: Omit<Finding, 'projectId' | 'repair'> & { readonly repair?: Finding['repair'] }): void =>
    void findings.push({ repair: null, ...finding, projectId: project.id });

  for (const node of nodes.values()) {
    if (node.turnId === null) continue;
    const ofTurn = byTurn.get(node.turnId);
    if (ofTurn) ofTurn.push(node);
    else byTurn.set(node.turnId, [node]);
    if (turns.has(node.turnId)) continue;
    note({
      code: 'turn_missing',
      severity: 'error',
      subject: `node ${node.id}`,
      message: `It belongs to the turn ${node.turnId}, which does not exist. Restore the turn from a backup.`,
    });
  }
  for (const { id, status } of turns.values()) {
    const ofTurn = byTurn.get(id) ?? [];
    const subject = `turn ${id}`;
    const isOpen = status === 'running' || status === 'awaiting_approval';
    if (status === 'running') {
      note({
        code: 'turn_open',
        severity: 'note',
        subject,
        message: 'It is marked as running. If nobody works on it any more and nothing was streamed, it can be closed.',
        repair: { type: 'close_turn', projectId: project.id, turnId: id },
      });
    }
    // A title is written in a turn of its own, which no message belongs to.
    const isBeside = calls.some(({ turnId, purpose }) => turnId === id && purpose !== undefined);
    if (ofTurn.length === 0 && !isOpen && !isBeside) {
      note({ code: 'turn_without_nodes', severity: 'note', subject, message: 'It has no messages (any more).' });
    }
    if (topsOf(ofTurn).size > 1) {
      const message = 'Its messages do not hang together: they are in several places of the tree.';
      note({ code: 'turn_torn', severity: 'error', subject, message });
    }
    if (status === 'complete' && ofTurn.length > 0 && !ofTurn.some(({ role }) => role === 'assistant')) {
      note({ code: 'turn_without_reply', severity: 'warning', subject, message: 'It ended without a reply.' });
    }
  }
  for (const call of calls) {
    const missing = [
      ...(turns.has(call.turnId) ? [] : [`turn ${call.turnId}`]),
      ...(call.nodeId === null || nodes.has(call.nodeId) ? [] : [`node ${call.nodeId}`]),
    ];
    if (missing.length === 0) continue;
    const message = `It belongs to the ${missing.join(' and the ')}, which does not exist.`;
    note({ code: 'call_points_nowhere', severity: 'error', subject: `call ${call.id}`, message });
  }
  return findings;
}

/** Where a turn begins in the tree. Replies sampled together share a parent, so they count as one place. */
function topsOf(ofTurn: readonly IndexedNode[]): Set<NodeId | null> {
  const ids = new Set(ofTurn.map(({ id }) => id));
  return new Set(ofTurn.map(({ parentId }) => parentId).filter((parent) => parent === null || !ids.has(parent)));
}
