import { setImmediate } from 'node:timers/promises';
import type { Client } from '../clients/index.ts';
import { clientOf } from '../clients/index.ts';
import type { ClientBody } from '../dialect.ts';
import { readBefore, readBody, resumeBody } from '../dialects/index.ts';
import { objectOf, parseJson, wordOf } from '../dialects/json.ts';
import { memberSpans } from '../dialects/scan.ts';
import type { Arrival, ConversationHook, Plan } from '../pass/hook.ts';
import { Continued, Memory } from '../record/memory.ts';
import type { Reading } from '../record/readings.ts';
import { Readings } from '../record/readings.ts';
import type { Said } from '../record/trail.ts';
import { asSpoken, bringsTools, startOf, trailsOf } from '../record/trail.ts';
import type { ConductorEnvironment, Request, State } from './calls.ts';
import { atOnce, conduct, inTime, PATIENCE_MS, whereabouts } from './calls.ts';
import { budgetOf, budgetRefusal, withNotes } from './budget.ts';
import { Endings } from './endings.ts';
import { mendedAtOnce } from './mend.ts';
import { recall } from './recall.ts';
import { aboutRoutes, conductRoute, routeOf } from './route.ts';

export type { ConductorEnvironment } from './calls.ts';

/**
 * Records what passes through the gateway: reads what a client says, finds its place in the tree, mends it where that
 * is wanted, and listens to the reply. What it does not understand passes unrecorded.
 */
export function createConductor(env: ConductorEnvironment): ConversationHook {
  const state: State = {
    memory: new Memory(),
    endings: new Endings(),
    continued: new Continued(),
    readings: new Readings(),
  };
  return async (arrival) => {
    const about = await aboutRoutes(env.router, arrival);
    if (about !== null) return about;
    await recallStart(env, state, arrival);
    const request = read(env, arrival, state);
    if (request === null || 'type' in request) return request;
    const finding = whereabouts(env, state, request);
    // A failure is met by whoever goes on with it.
    finding.catch(() => undefined);
    const asking = budgetOf(env, request, finding);
    asking.catch(() => undefined);
    // The store looks for the history while this process judges it: the question has to have left before that begins.
    await setImmediate();
    const known = mayLeaveEarly(env, request) ? mendedAtOnce(env, state, request) : null;
    const verdict = await asking;
    const refusal = budgetRefusal(request, verdict);
    return refusal ?? withNotes(await carriedOut(env, state, request, finding, known), verdict);
  };
}

/** A request may name the response that it continues. One that this process does not remember is looked for. */
async function recallStart({ store }: ConductorEnvironment, { continued }: State, arrival: Arrival): Promise<void> {
  const { protocol, operation, body } = arrival;
  if (protocol !== 'openai-responses' || operation !== 'conversation') return;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!bytes.includes(CONTINUES)) return;
  const response = wordOf(objectOf(parseJson(bytes.toString()))?.[CONTINUES]);
  if (response === undefined || continued.find(response) !== null) return;
  // A store that is away is met, and told, by whoever records.
  const found = await inTime(recall(store, response), PATIENCE_MS, () => undefined).catch(() => null);
  if (found !== null) continued.keep(response, found);
}

const CONTINUES = 'previous_response_id';

/** Where everything must be recorded, and on a route, nothing leaves before it is stored. */
const mayLeaveEarly = ({ whenStoreFails }: ConductorEnvironment, { routed }: Request): boolean =>
  whenStoreFails !== 'refuse' && routed === null;

async function carriedOut(
  env: ConductorEnvironment,
  state: State,
  request: Request,
  finding: ReturnType<typeof whereabouts>,
  known: ReturnType<typeof mendedAtOnce>,
): Promise<Plan> {
  if (request.routed !== null) return conductRoute(env, state, request, request.routed, finding);
  const late = new AbortController();
  const work = conduct(env, state, request, finding, late.signal, known);
  if (env.whenStoreFails === 'refuse') return work;
  const inPatience = inTime(work, PATIENCE_MS, () => late.abort());
  return known === null ? inPatience : atOnce(inPatience, known);
}

/** Null if nothing can be made of it: then the bytes pass. A refusal if its route leads nowhere. */
function read(
  { router }: Pick<ConductorEnvironment, 'router'>,
  arrival: Arrival,
  { continued, readings }: Pick<State, 'continued' | 'readings'>,
): Request | Plan | null {
  if (arrival.operation !== 'conversation' || arrival.method !== 'POST') return null;
  const text = textOf(arrival.body);
  if (text === null) return null;
  const client = clientOf(arrival.headers, text);
  const key = keyOf(arrival, client, text);
  const found = readings.find(key, text);
  const came = readOn(arrival, text, found);
  if (came === null) return null;
  const asked = { ...came, stream: arrival.streamed ?? came.stream };
  const routed = routeOf(router, arrival, asked);
  if (routed !== null && 'type' in routed) return routed;
  // A route says everything once more, in other words: it needs all of it.
  if (routed !== null && came.resumed !== undefined)
    return read({ router }, arrival, { continued, readings: new Readings() });
  const body = routed?.body ?? asked;
  const start = arrival.protocol === 'openai-responses' ? continued.find(continuedIn(text)) : null;
  const earlier = body.resumed === undefined ? null : (found?.reading ?? null);
  const spoken = asSpoken(body, client);
  const said = trailsOf(spoken, client.session, start, bringsTools(body), earlier);
  if (said.length === 0) return null;
  const reading = routed === null ? readingOf(body, said, start ?? startOf(spoken, client.session), earlier) : null;
  if (reading !== null) readings.keep(key, reading, found?.reading ?? null);
  return { arrival, body, client, said, start, routed, earlier, reading };
}

/** Bodies of one conversation, judged by the same rules, have the same key. */
function keyOf({ provider, protocol, model, headers }: Arrival, { session }: Client, text: string): string {
  const { 'anthropic-beta': beta, 'anthropic-version': version } = headers;
  return JSON.stringify([provider.deployment.id, protocol, model, beta, version, session ?? text.slice(0, OPENING)]);
}

/** How much of a body stands for a conversation that declares no session. */
const OPENING = 256;

/** From where it differs from an earlier one, if there is one. Null if it is not understood. */
function readOn({ protocol, model }: Arrival, text: string, found: ReturnType<Readings['find']>): ClientBody | null {
  let read: { readonly body: ClientBody | null } | null = null;
  const whole = (): ClientBody | null => {
    read ??= { body: readBody(protocol, text, model ?? undefined) };
    return read.body;
  };
  const resumed = found === null ? null : resumeBody(protocol, text, model ?? undefined, found, whole);
  return resumed ?? whole();
}

function readingOf(body: ClientBody, said: readonly Said[], start: string, earlier: Reading | null): Reading | null {
  const kept = readBefore(body, earlier);
  if (kept === null) return null;
  const trails = said.map(({ trail }) => trail);
  return { ...kept, model: body.model, start, trails, firms: null, cut: null, verdict: { isTaken: false } };
}

/** Null if the bytes are no text: they could not be rebuilt. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function continuedIn(text: string): string {
  const span = memberSpans(text)?.get(CONTINUES);
  const id: unknown = span === undefined ? '' : JSON.parse(text.slice(span.from, span.to));
  return typeof id === 'string' ? id : '';
}
