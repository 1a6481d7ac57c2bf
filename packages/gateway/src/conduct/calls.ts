import { createHash } from 'node:crypto';
import type { Envelope, Exchange, ProjectId, Repair, StreamError } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import type { Budgets, RecordedEnd } from '@bough/engine';
import type { Client } from '../clients/index.ts';
import type { ClientBody } from '../dialect.ts';
import { refusalAnswer } from '../dialects/errors.ts';
import type { Arrival, ForwardPlan, Plan, Tap } from '../pass/hook.ts';
import type { KnownBody, SharedStart, StoredBody } from '../record/exchange.ts';
import { cutUpTo, writeBody } from '../record/exchange.ts';
import type { Continued, Memory } from '../record/memory.ts';
import type { Reading, Readings } from '../record/readings.ts';
import type { RepairedBody } from '../repair/index.ts';
import type { Said } from '../record/trail.ts';
import { asSpoken, bringsTools, trailInPassing, trailsOf } from '../record/trail.ts';
import type { Routed, Router } from '../route/index.ts';
import { routedEnvelope } from '../route/index.ts';
import type { BegunCall, BeginEnvironment } from './begin.ts';
import { beginRecording } from './begin.ts';
import type { Endings } from './endings.ts';
import type { Whereabouts } from './find.ts';
import { find } from './find.ts';
import type { Mended } from './mend.ts';
import { firmOf, mend } from './mend.ts';
import type { Repairer } from './repairer.ts';
import type { TapInput } from './tap.ts';
import { createTap, lateTap } from './tap.ts';

export interface ConductorEnvironment extends BeginEnvironment {
  /** How a project's requests are treated; null for one that is not known yet. */
  readonly modeOf?: ((project: ProjectId | null) => 'record' | 'repair') | undefined;
  /** Absent: Bough's own. */
  readonly repairer?: Repairer | undefined;
  /** Absent: every request goes to the provider that its client asked. */
  readonly router?: Router | undefined;
  /** Told of a routed conversation that could not be recorded; the gateway itself hears of the others. */
  readonly onUnrecorded?: ((error: unknown) => void) | undefined;
  /** Absent: nothing is limited. */
  readonly budgets?: Pick<Budgets, 'admit'> | undefined;
  /** As for the gateway. */
  readonly whenStoreFails?: 'pass' | 'refuse' | undefined;
}

/** A store that needs longer to take a message in is away. */
export const PATIENCE_MS = 5_000;

export interface State {
  readonly memory: Memory;
  readonly endings: Endings;
  readonly continued: Continued;
  readonly readings: Readings;
}

export interface Request {
  readonly arrival: Arrival;
  readonly body: ClientBody;
  readonly client: Client;
  readonly said: readonly Said[];
  /** The trail of the response that it continues; null if it brings its whole history. */
  readonly start: string | null;
  /** Null: it goes to the provider that the client asked. */
  readonly routed: Routed | null;
  /** What was made of the earlier body that its own was read on from. */
  readonly earlier: Reading | null;
  /** What is made of its own; null if no later one is to be read on from it. */
  readonly reading: Reading | null;
}

/** A request to the provider that its client asked. */
export async function conduct(
  env: ConductorEnvironment,
  state: State,
  request: Request,
  finding: Promise<Whereabouts | Plan>,
  late: AbortSignal,
  known: Mended | null,
): Promise<Plan> {
  const found = await finding;
  if ('type' in found) return found;
  const mended = known ?? (await mend(env, state, request, found));
  const begun = await begin(env, state, request, found, mended);
  const plan = follow(env, state, request, mended, begun);
  // Nobody waits for it any more: its bytes passed without it.
  if (late.aborted && plan.type === 'forward') await plan.tap.end({ type: 'lost' });
  return plan;
}

/** The request leaves while it is stored. */
export function atOnce(work: Promise<Plan>, { repaired }: Mended): Plan {
  const making = work.then((plan) => {
    if (plan.type !== 'forward') throw new Error('A session has no project that could be missing.');
    return plan.tap;
  });
  return { ...leaving(repaired), tap: lateTap(making) };
}

const leaving = (repaired: RepairedBody | null): Pick<ForwardPlan, 'type' | 'body'> => ({
  type: 'forward',
  ...(repaired === null ? {} : { body: Buffer.from(repaired.text) }),
});

/** A refusal if the client names a project that does not exist. */
export async function whereabouts(
  env: ConductorEnvironment,
  state: State,
  { arrival, body, client, said, start }: Request,
): Promise<Whereabouts | Plan> {
  await state.endings.of(said);
  const besides = client.isAgent && client.session === null ? besidesOf(asSpoken(body, client)) : [];
  try {
    const likely = state.memory.find(said)?.at ?? null;
    return await find(env.store, { said, start, client, project: arrival.project, besides, likely });
  } catch (error) {
    if (error instanceof UnknownIdError && error.kind === 'project') return unknownProject(arrival);
    throw error;
  }
}

/** What an agent asks in passing lies beside its conversation, whichever of them comes first. */
function besidesOf(body: ClientBody): readonly { readonly trail: string }[] {
  if (!bringsTools(body)) return trailsOf(body, null, null, true);
  const trail = trailInPassing(body);
  return trail === null ? [] : [{ trail }];
}

function unknownProject({ protocol, project }: Arrival): Plan {
  const message = `There is no project "${project}". Take its id from the page of the project.`;
  return { type: 'answer', ...refusalAnswer(protocol, { status: 404, message, retry: false }) };
}

export async function begin(
  env: ConductorEnvironment,
  { memory }: State,
  request: Request,
  found: Whereabouts,
  { mode, repaired }: Pick<Mended, 'mode' | 'repaired'>,
): Promise<Begun> {
  const { arrival, body, client, said, routed } = request;
  const provider = routed?.provider ?? arrival.provider;
  const envelope = routed === null ? envelopeOf(provider.deployment.id, body) : routedEnvelope(routed);
  const isBeside = client.isAgent && !bringsTools(body);
  const remembered = memory.find(said)?.bodies ?? [];
  let bodies: readonly KnownBody[] = [];
  const begun = await beginRecording(env, {
    asked: { said, lock: envelope, systemPrompt: envelope.systemPrompt, isBeside },
    found,
    client,
    envelope,
    issuer: provider.issuer(envelope.model),
    api: provider.deployment.protocol,
    requestHash: hashOf(repaired?.text ?? body.text),
    write: ({ call, node, project }) => {
      const known = remembered.filter((each) => each.project === project);
      const came = writeBody(body.text, node, known, sharedStart(request));
      const { cut, segments } = came;
      if (request.reading !== null && cut !== null) request.reading.cut = { ...cut, segments };
      const own: KnownBody = { call, of: 'came', segments: came.segments };
      const sent = repaired === null ? null : writeBody(repaired.text, node, [own, ...known]);
      bodies = sent === null ? [own] : [{ call, of: 'sent', segments: sent.segments }, own];
      return {
        exchange: exchangeOf(request, mode, came.pieces, sent?.pieces, repaired?.repairs),
        renderings: [...came.renderings, ...(sent?.renderings ?? [])],
      };
    },
  });
  return { ...begun, bodies, remembered: remembered.filter((each) => each.project === begun.project) };
}

/** How the beginning was cut that the body shares with the earlier one. */
function sharedStart({ body, earlier }: Request): SharedStart | null {
  const { resumed, messages } = body;
  if (resumed === undefined || earlier === null || earlier.cut === null) return null;
  const to = messages[resumed.from - 1]?.to ?? 0;
  return { ...cutUpTo(earlier.cut, body.text, resumed.list, to), segments: earlier.cut.segments };
}

function exchangeOf(
  { arrival, client }: Request,
  mode: Exchange['mode'],
  came: Exchange['came'],
  sent: Exchange['sent'],
  repairs: readonly Repair[] | undefined,
): Exchange {
  const { protocol, path } = arrival;
  return {
    client: client.version,
    session: client.session,
    mode,
    protocol,
    path,
    came,
    ...(sent === undefined ? {} : { sent }),
    ...(repairs === undefined || repairs.length === 0 ? {} : { repairs }),
  };
}

function envelopeOf(provider: string, { protocol, model, system, thinking, maxTokens }: ClientBody): Envelope {
  return {
    provider,
    model,
    systemPrompt: system.length === 0 ? null : system.join('\n\n'),
    // The client runs its tools itself: here they cannot be called.
    tools: [],
    // Where nothing is said, Claude does not think and the others do.
    thinking: thinking ?? (protocol === 'anthropic-messages' ? 'off' : 'medium'),
    ...(maxTokens === null ? {} : { maxTokens }),
  };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A call that is recorded, with the bodies that later ones may refer to. */
export interface Begun extends BegunCall {
  readonly bodies: readonly KnownBody[];
  /** Those of earlier calls of the conversation. */
  readonly remembered: readonly StoredBody[];
}

/**
 * What is held while a reply comes: its request may have megabytes, and is held only until the provider has taken it.
 */
interface Held {
  readonly begun: Begun;
  readonly provider: Arrival['provider'];
  readonly model: string;
  readonly tools: ClientBody['tools'];
  /** The trail that is answered. */
  readonly answered: string;
  readonly firm: string | null;
  readonly repairer: Repairer | null;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Told when the provider took the body as it came. */
  readonly verdict: Reading['verdict'] | null;
}

export function follow(env: ConductorEnvironment, state: State, request: Request, mended: Mended, begun: Begun): Plan {
  const { arrival, body, said } = request;
  const { provider, signal } = arrival;
  const { model, tools } = body;
  const { repaired, repairer, firm } = mended;
  const answered = said.at(-1)?.trail ?? '';
  const verdict = repaired === null ? (request.reading?.verdict ?? null) : null;
  const held: Held = { begun, provider, model, tools, answered, firm, repairer, signal, verdict };
  const tap = tapOf(env, state, held, (error, end) => again(env, state, request, mended, begun, error, end));
  return { ...leaving(repaired), tap };
}

/** How the reply is listened to. */
function tapOf(
  env: ConductorEnvironment,
  state: State,
  { begun, provider, model, tools, answered, firm, repairer, signal, verdict }: Held,
  afterRefusal: TapInput['afterRefusal'],
): Tap {
  const { recorded, project, exchange } = begun;
  const settled = state.endings.begin(answered);
  signal.addEventListener('abort', settled.soon, { once: true });
  const repairs = exchange.repairs ?? [];
  return createTap({
    recorded,
    provider,
    model,
    now: env.now,
    mustKeep: env.whenStoreFails === 'refuse',
    headers: {
      'x-bough-project': project,
      ...(repairs.length === 0 ? {} : { 'x-bough-repairs': repairs.map(({ rule }) => rule).join(', ') }),
    },
    exchange:
      repairer === null || firm === null
        ? undefined
        : ({ raw, blocks }) => {
            const reply = { raw: raw(), blocks, provider, model, tools };
            return { ...exchange, firm: repairer.replyFirm(firm, reply) };
          },
    afterRefusal,
    onEnding: (stored) => settled.when(stored),
    onStored: ({ call, node }) => {
      signal.removeEventListener('abort', settled.soon);
      if (call.responseId !== null && node?.trail !== undefined) state.continued.keep(call.responseId, node.trail);
      const bodies = begun.bodies.map((each): StoredBody => ({ ...each, project, turn: recorded.turn.id }));
      const at = { project, branch: recorded.branch.id };
      state.memory.keep(answered, { bodies, firm: call.exchange?.firm ?? null, at });
      if (verdict !== null) verdict.isTaken = call.status === 'complete';
    },
  });
}

/** The provider refused what it got. One more try with what repair makes of that; both are recorded. */
async function again(
  env: ConductorEnvironment,
  state: State,
  request: Request,
  mended: Mended,
  begun: Begun,
  error: StreamError,
  end: () => RecordedEnd,
): Promise<Plan | null> {
  const { repairer } = mended;
  const { provider, protocol, headers } = request.arrival;
  const repaired = repairer?.retryBody({ body: request.body, provider, headers }, error) ?? null;
  // What was refused is not sent again.
  if (repairer === null || repaired === null || repaired.text === mended.repaired?.text) return null;
  const call = env.ids.call();
  const { turn, tip } = begun.recorded;
  const written = writeBody(
    repaired.text,
    tip,
    begun.bodies.map((each) => ({ ...each, turn: turn.id })),
  );
  const segments = begun.bodies.find(({ of }) => of === 'came')?.segments ?? [];
  const came = { call: begun.call, turn: turn.id, of: 'came', from: 0, to: segments.length } as const;
  const exchange = exchangeOf(request, 'repair', [came], written.pieces, repaired.repairs);
  await begun.recorded.next(
    {
      id: call,
      issuer: provider.issuer(request.body.model),
      api: protocol,
      requestHash: hashOf(repaired.text),
      trail: request.said.at(-1)?.trail ?? '',
      exchange,
    },
    written.renderings,
    error.code,
    end(),
  );
  const bodies: readonly KnownBody[] = [
    { call, of: 'sent', segments: written.segments },
    { call, of: 'came', segments },
  ];
  const firm = firmOf(repairer, request.arrival, repaired);
  const once: Repairer = { ...repairer, retryBody: () => null };
  const second: Mended = { ...mended, repaired, repairer: once, firm };
  return follow(env, state, request, second, { ...begun, call, exchange, bodies });
}

/** Rejects when time is up; what comes later is told to let go. */
export async function inTime<T>(work: Promise<T>, patienceMs: number, onLate: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(new Error('The store did not take the request in time.'));
    }, patienceMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
