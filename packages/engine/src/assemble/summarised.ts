import type { NodeId, ProjectId, RawResponse, TreeNode } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { CallTarget } from '@bough/providers';
import type { StoredContext } from '@bough/store';
import type { Environment } from '../environment.ts';
import type { RequestPlan } from './index.ts';

/** A summary with its place on a path. */
export interface PlacedSummary {
  /** The last node that it stands for. */
  readonly upTo: NodeId;
  /** What was asked, if anything, and the summary itself. */
  readonly nodes: readonly TreeNode[];
}

/**
 * The summary that counts on a path: of those whose place is on it, the one that stands for most. Its place is read
 * from the tree, so that it stays right when a message above it is deleted. One that was deleted stands for nothing.
 */
export async function summaryOn(
  env: Environment,
  projectId: ProjectId,
  path: readonly Pick<TreeNode, 'id'>[],
  summaries: readonly NodeId[] = [],
): Promise<PlacedSummary | null> {
  return newestOn(path, await summariesOf(env, projectId, summaries));
}

/** Those of them that were not deleted, in the same order. */
async function summariesOf(
  env: Environment,
  projectId: ProjectId,
  summaries: readonly NodeId[] = [],
): Promise<readonly PlacedSummary[]> {
  const found = await Promise.all(summaries.map(async (id) => nodesOfSummary(env, projectId, id)));
  return found.flatMap((nodes) => {
    const upTo = nodes[0]?.parentId ?? null;
    return upTo === null ? [] : [{ upTo, nodes }];
  });
}

function newestOn(path: readonly Pick<TreeNode, 'id'>[], summaries: readonly PlacedSummary[]): PlacedSummary | null {
  const places = new Map(path.map(({ id }, index) => [id, index]));
  let newest: { readonly at: number; readonly placed: PlacedSummary } | null = null;
  for (const placed of summaries) {
    const at = places.get(placed.upTo);
    if (at !== undefined && at >= (newest?.at ?? 0)) newest = { at, placed };
  }
  return newest?.placed ?? null;
}

/** What was asked, if anything, and the summary itself; nothing where it was deleted. */
export async function nodesOfSummary(env: Environment, projectId: ProjectId, id: NodeId): Promise<readonly TreeNode[]> {
  try {
    const [summary] = await env.store.getNodes(projectId, [id]);
    if (summary === undefined) return [];
    const turn = summary.turnId === null ? [] : await env.store.nodesOfTurn(projectId, summary.turnId);
    const asked = turn.find((node) => node.id === summary.parentId);
    return asked === undefined ? [summary] : [asked, summary];
  } catch (error) {
    if (error instanceof UnknownIdError) return [];
    throw error;
  }
}

/** A path with a summary that counts, as far as it has to be read. */
export interface Summarised extends PlacedSummary {
  /** The summaries before it, oldest first: it may have been made behind one of them. */
  readonly earlier: readonly (readonly TreeNode[])[];
  /** All of the path with the summary in place, or what follows the turns that are cached behind it. */
  readonly stored: StoredContext;
  /** All of it, for where the request cannot be built from that. */
  readonly whole: () => Promise<StoredContext>;
}

/**
 * The path with its summary in place, behind what it stands for; null where none counts. Turns behind a summary are
 * cached in a slot of its own, the first of them with all that stands for what is covered: then nothing covered is
 * read. `read` reads from the slot of a summary, or everything.
 */
export async function readSummarised(
  env: Environment,
  { projectId, tip, envelope, added = [], summary }: RequestPlan,
  read: (behind?: Behind) => Promise<StoredContext>,
): Promise<Summarised | null> {
  if (tip === null || (summary === undefined && (envelope.summaries ?? []).length === 0)) return null;
  const known = summary === undefined ? await summariesOf(env, projectId, envelope.summaries) : [];
  const earlierThan = (of: PlacedSummary): Summarised['earlier'] =>
    known.slice(0, Math.max(0, known.indexOf(of))).map(({ nodes }) => nodes);
  const newest = known.at(-1);
  const stored = await read(
    newest === undefined ? undefined : { summary: newest.nodes, earlierSummaries: earlierThan(newest) },
  );
  const isWhole = stored.cachedTurns.length === 0;
  const raws = async (of: PlacedSummary) =>
    summary === undefined ? rawsOf(env, projectId, [...of.nodes, ...earlierThan(of).flat()]) : [];
  if (!isWhole && newest !== undefined && countsBy(stored.marks, newest, known)) {
    const context = { ...stored, raws: new Map([...stored.raws, ...(await rawsOf(env, projectId, newest.nodes))]) };
    const whole = async () => withSummary(await read(), newest, await raws(newest));
    return { ...newest, earlier: earlierThan(newest), stored: context, whole };
  }
  const context = isWhole ? stored : await read();
  const placed = summary ?? newestOn(context.nodes, known);
  // What stands at the end of the path itself is no summary of it: somebody goes on from there.
  if (placed === null || [...context.nodes, ...added].some(({ id }) => id === placed.nodes.at(-1)?.id)) return null;
  const whole = withSummary(context, placed, await raws(placed));
  return { ...placed, earlier: earlierThan(placed), stored: whole, whole: async () => whole };
}

/** What cached turns stand behind. */
type Behind = Pick<CallTarget, 'summary' | 'earlierSummaries'>;

/** Whether no other summary stands for more of the path with these marks, and the summary is no part of it. */
function countsBy(marks: string, placed: PlacedSummary, all: readonly PlacedSummary[]): boolean {
  const placeOf = (id: NodeId): number => marks.indexOf(`${JSON.stringify(id)}\n`);
  const at = placeOf(placed.upTo);
  return at >= 0 && all.every(({ upTo }) => placeOf(upTo) <= at) && placed.nodes.every(({ id }) => placeOf(id) < 0);
}

function withSummary(
  context: StoredContext,
  { upTo, nodes }: PlacedSummary,
  raws: readonly (readonly [NodeId, RawResponse])[],
): StoredContext {
  const at = context.nodes.findIndex(({ id }) => id === upTo) + 1;
  return {
    ...context,
    nodes: [...context.nodes.slice(0, at), ...nodes, ...context.nodes.slice(at)],
    raws: new Map([...context.raws, ...raws]),
  };
}

async function rawsOf(
  env: Environment,
  projectId: ProjectId,
  nodes: readonly TreeNode[],
): Promise<readonly (readonly [NodeId, RawResponse])[]> {
  const replies = nodes.filter(({ role }) => role === 'assistant');
  const raws = await Promise.all(replies.map(async ({ id }) => [id, await env.store.getRaw(projectId, id)] as const));
  return raws.flatMap(([id, raw]) => (raw === null ? [] : [[id, raw] as const]));
}
