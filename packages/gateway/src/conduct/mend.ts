import type { Exchange, NodeId, TreeNode } from '@bough/core';
import { projectId } from '@bough/core';
import type { Store } from '@bough/store';
import { sessionProject } from '../clients/index.ts';
import { readBody } from '../dialects/index.ts';
import type { Arrival } from '../pass/hook.ts';
import type { Memory } from '../record/memory.ts';
import type { RepairedBody, RepairInput } from '../repair/index.ts';
import type { Said } from '../record/trail.ts';
import type { ConductorEnvironment, Request, State } from './calls.ts';
import type { Whereabouts } from './find.ts';
import type { Repairer } from './repairer.ts';
import { harmless, repairer as ownRepairer } from './repairer.ts';

/** What becomes of a client's body before it leaves. */
export interface Mended {
  readonly mode: Exchange['mode'];
  /** Null: it leaves as it came. */
  readonly repaired: RepairedBody | null;
  readonly repairer: Repairer | null;
  /** What must come back exactly, up to the end of the request; null if nobody asks. */
  readonly firm: string | null;
}

/**
 * What leaves, if that is known without asking the store: nothing is mended in this project, or the client changed
 * nothing since its last request. Null if the store has to be asked first.
 */
export function mendedAtOnce(env: ConductorEnvironment, { memory }: State, request: Request): Mended | null {
  const { arrival, client, said } = request;
  const own = sessionProject(client);
  if (own === null || arrival.project !== null) return null;
  const mode = env.modeOf?.(projectId(own)) ?? 'repair';
  if (mode === 'record') return { mode, repaired: null, repairer: null, firm: null };
  const repairer = harmless(env.repairer ?? ownRepairer);
  if (memory.find(said) === null) return null;
  const firms = firmsOf(repairer, request);
  const intact = intactBefore(said, firms, memory);
  return intact === null ? null : mendedBy(repairer, request, firms, NOTHING_READ, intact);
}

/** What must come back exactly, up to each message, kept for the next request. */
function firmsOf(repairer: Repairer, { body, earlier, reading }: Request): readonly string[] {
  // Another model is asked to take other things back.
  const known = earlier !== null && earlier.model === body.model ? earlier.firms : null;
  const firms = repairer.requestFirms(body, known);
  if (reading !== null) reading.firms = firms;
  return firms;
}

/** The same where the store knows more. */
export async function mend(
  env: ConductorEnvironment,
  { memory }: State,
  request: Request,
  { matched, project }: Whereabouts,
): Promise<Mended> {
  const { arrival, said } = request;
  const mode = env.modeOf?.(project ?? arrival.project) ?? 'repair';
  if (mode === 'record') return { mode, repaired: null, repairer: null, firm: null };
  const repairer = harmless(env.repairer ?? ownRepairer);
  const firms = firmsOf(repairer, request);
  const intact = matched === null ? null : intactBefore(said, firms, memory);
  const stored = intact !== null || matched === null ? NOTHING_READ : await readReplies(env.store, matched, said);
  return mendedBy(repairer, request, firms, stored, intact);
}

function mendedBy(
  repairer: Repairer,
  request: Request,
  firms: readonly string[],
  stored: Pick<RepairInput, 'nodeOf' | 'rawOf'>,
  intact: Intact | null,
): Mended {
  const { arrival, body } = request;
  const { provider, headers } = arrival;
  const isIntact = intact !== null;
  const isTaken = intact !== null && wasTaken(request, intact);
  const repaired = repairer.repairBody({ body, provider, headers, ...stored, isIntact, isTaken });
  const firm = repaired === null ? (firms.at(-1) ?? null) : firmOf(repairer, arrival, repaired);
  return { mode: 'repair', repaired, repairer, firm };
}

const NOTHING_READ: Pick<RepairInput, 'nodeOf' | 'rawOf'> = { nodeOf: () => null, rawOf: () => undefined };

/** The stored replies that a client repeats, with what their provider sent. */
async function readReplies(
  store: Store,
  { projectId, id }: TreeNode,
  said: readonly Said[],
): Promise<Pick<RepairInput, 'nodeOf' | 'rawOf'>> {
  const { nodes, raws } = await store.readContext(projectId, id, 'none');
  const byTrail = new Map<string | undefined, NodeId>(nodes.map((node) => [node.trail, node.id]));
  const replies = new Map<number, NodeId | undefined>();
  for (const { message, role, trail } of said) if (role === 'assistant') replies.set(message, byTrail.get(trail));
  return { nodeOf: (message) => replies.get(message) ?? null, rawOf: (node) => raws.get(node) };
}

/** Of the body that leaves: taken from one that had to be mended, the same damage would look whole the next time. */
export function firmOf(repairer: Repairer, { protocol, model }: Arrival, { text }: RepairedBody): string | null {
  const body = readBody(protocol, text, model ?? undefined);
  return body === null ? null : (repairer.requestFirms(body, null).at(-1) ?? null);
}

/** A client that returned everything as it was. */
interface Intact {
  /** The newest reply that is remembered: its place in what the client says. */
  readonly reply: number;
  /** What that answered. */
  readonly trail: string;
}

/** Null unless the newest reply that is remembered came back, with everything before it, as it was. */
function intactBefore(said: readonly Said[], firms: readonly string[], memory: Memory): Intact | null {
  const found = memory.find(said);
  if (found === null || found.firm === null) return null;
  const at = said.findLastIndex(({ trail }) => trail === found.trail) + 1;
  const reply = said[at];
  const isBack = reply?.role === 'assistant' && firms[reply.message] === found.firm;
  return isBack ? { reply: at, trail: found.trail } : null;
}

/**
 * Whether the provider itself took what was not read again: the earlier body left as it came, was answered with the
 * reply that came back, and asked for the same in every other respect. Nobody but the provider spoke for the model
 * since.
 */
function wasTaken({ body, said, earlier }: Request, { reply, trail }: Intact): boolean {
  const { resumed, text } = body;
  if (earlier === null || resumed === undefined || !earlier.verdict.isTaken) return false;
  if (earlier.trails.at(-1) !== trail || said.slice(reply + 1).some(({ role }) => role === 'assistant')) return false;
  return text.slice(resumed.list.to) === earlier.text.slice(earlier.list.to);
}
