import type { Annotation, NodeId } from '@bough/core';
import type { GraphNode } from '@bough/store';
import type { DatasetOptions, Tally } from './options.ts';
import type { Topology } from './topology.ts';

/** What becomes a record, before any message is read. */
export interface Planned {
  /** The message of a model that a reply begins with, and everything that belongs to it. */
  readonly reply: readonly GraphNode[];
  /** Of a preference: the other reply, and how it is known which is better. */
  readonly rejected?: readonly GraphNode[];
  /** The verdicts that made it a preference, by their comparison; empty for marks of single replies. */
  readonly comparisons?: readonly string[];
}

export function planRecords(
  topology: Topology,
  summaries: ReadonlySet<NodeId>,
  annotations: readonly Annotation[],
  options: DatasetOptions,
  tally: Tally,
): readonly Planned[] {
  const beside = besideNodes(annotations);
  const parts: Parts = { topology, beside, options, tally, summaries };
  if (options.shape === 'preference') return pairsOf(annotations, parts);
  const replies = wantedReplies(parts);
  return (options.shape === 'prompt-completion' ? replies : lastOnes(replies, topology)).map((reply) => ({ reply }));
}

export function besideNodes(annotations: readonly Annotation[]): ReadonlyMap<NodeId, readonly Annotation[]> {
  const beside = new Map<NodeId, Annotation[]>();
  for (const annotation of annotations) {
    const others = beside.get(annotation.nodeId);
    if (others === undefined) beside.set(annotation.nodeId, [annotation]);
    else others.push(annotation);
  }
  return beside;
}

interface Parts {
  readonly topology: Topology;
  readonly beside: ReadonlyMap<NodeId, readonly Annotation[]>;
  readonly options: DatasetOptions;
  readonly tally: Tally;
  readonly summaries: ReadonlySet<NodeId>;
}

type Reply = readonly GraphNode[];

function wantedReplies(parts: Parts): readonly Reply[] {
  const { topology, tally } = parts;
  const found: Reply[] = [];
  for (const node of topology.ordered) {
    if (node.role !== 'assistant' || isInside(node, topology)) continue;
    const reply = topology.reply(node);
    if (!isWanted(reply, parts, true)) continue;
    const problem = problemOf(reply, parts);
    if (problem === null) found.push(reply);
    else tally.record(problem);
  }
  return found;
}

/** Whether it goes on with a reply that began before it. */
function isInside(node: GraphNode, { parent }: Topology): boolean {
  const above = parent(node.id);
  return above !== undefined && (above.role === 'assistant' || above.role === 'tool') && above.turnId === node.turnId;
}

/** A conversation that goes on is one record with what follows, not two. */
function lastOnes(replies: readonly Reply[], topology: Topology): readonly Reply[] {
  const before = new Set<NodeId>();
  return replies
    .toReversed()
    .filter(([start]) => {
      if (start === undefined || before.has(start.id)) return false;
      // Each way up is walked only as far as no other was.
      for (let node: GraphNode | undefined = start; node !== undefined && !before.has(node.id);) {
        before.add(node.id);
        node = topology.parent(node.id);
      }
      return true;
    })
    .toReversed();
}

function problemOf(reply: Reply, { summaries }: Parts): 'summary' | 'reply_failed' | 'reply_unfinished' | null {
  const last = reply.at(-1);
  if (reply.some(({ id }) => summaries.has(id))) return 'summary';
  if (last === undefined || last.isError) return 'reply_failed';
  return last.interrupted || last.role !== 'assistant' ? 'reply_unfinished' : null;
}

function isWanted(reply: Reply, { options, topology, beside }: Parts, byVerdict: boolean): boolean {
  const { starred = false, verdicts = [], blind = false, models = [], since, before } = options.filters;
  const [start] = reply;
  if (start === undefined) return false;
  if (models.length > 0 && !models.includes(start.modelUsed ?? '')) return false;
  if (since !== undefined && start.createdAt < since) return false;
  if (before !== undefined && start.createdAt >= before) return false;
  const given = reply.flatMap(({ id }) => beside.get(id) ?? []);
  if (starred) {
    const question = topology.parent(start.id);
    const all = question === undefined ? given : [...given, ...(beside.get(question.id) ?? [])];
    if (!all.some(({ kind }) => kind === 'star')) return false;
  }
  if (!byVerdict || (verdicts.length === 0 && !blind)) return true;
  return given.some(
    (one) =>
      one.verdict !== undefined &&
      (verdicts.length === 0 || verdicts.includes(one.verdict)) &&
      (!blind || one.blind === true),
  );
}

/** Siblings of which one was judged to be better, in a comparison or each by itself. */
function pairsOf(annotations: readonly Annotation[], parts: Parts): readonly Planned[] {
  const { topology, options, tally } = parts;
  const { verdicts = ['better', 'good'], blind = false } = options.filters;
  const given = annotations.filter((one) => one.kind === 'verdict' && (!blind || one.blind === true));
  const groups = new Map<string, Annotation[]>();
  for (const one of given) {
    const isMark = one.name === '';
    if (!verdicts.includes(isMark ? 'good' : 'better')) continue;
    const key = isMark ? `mark ${topology.node(one.nodeId)?.parentId ?? ''}` : `comparison ${one.name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  const found = new Map<string, { readonly better: NodeId; readonly worse: NodeId; readonly names: Set<string> }>();
  for (const group of groups.values()) {
    if (group.length > 0 && group.every(({ verdict }) => verdict === 'tied')) tally.record('tied');
    const worse = group.filter(({ verdict }) => verdict === 'worse' || verdict === 'bad');
    for (const { verdict, nodeId: better, name } of group) {
      if (verdict !== 'better' && verdict !== 'good') continue;
      for (const { nodeId } of worse) {
        const key = JSON.stringify([better, nodeId]);
        const known = found.get(key) ?? { better, worse: nodeId, names: new Set<string>() };
        found.set(key, known);
        if (name !== '') known.names.add(name);
      }
    }
  }
  const planned = [...found.values()].flatMap(({ better, worse, names }): readonly Planned[] => {
    const [chosen, rejected] = [topology.node(better), topology.node(worse)];
    // Deleted since it was judged.
    if (chosen === undefined || rejected === undefined) return [];
    const [reply, other] = [topology.reply(chosen), topology.reply(rejected)];
    if (!isWanted(reply, parts, false)) return [];
    if (found.has(JSON.stringify([worse, better]))) {
      if (better < worse) tally.record('contradicted');
      return [];
    }
    if (chosen.parentId !== rejected.parentId) {
      tally.record('not_siblings');
      return [];
    }
    const problem = problemOf(reply, parts) ?? problemOf(other, parts);
    if (problem !== null) {
      tally.record(problem);
      return [];
    }
    return [{ reply, rejected: other, comparisons: [...names].sort() }];
  });
  const placeOf = ([start]: Reply = []): number => (start === undefined ? -1 : topology.place(start.id));
  return planned.sort((a, b) => placeOf(a.reply) - placeOf(b.reply) || placeOf(a.rejected) - placeOf(b.rejected));
}
