import type { Exchange } from '@bough/core';
import { BoughError } from '@bough/core';
import type { PreparedCall } from '@bough/providers';
import type { ClientBody } from '../dialect.ts';
import { refusalAnswer } from '../dialects/errors.ts';
import { readBody } from '../dialects/index.ts';
import { objectOf, parseJson } from '../dialects/json.ts';
import type { Arrival, Plan } from '../pass/hook.ts';
import type { KnownBody, StoredBody } from '../record/exchange.ts';
import { writeBody } from '../record/exchange.ts';
import type { Keeper, Routed, Router } from '../route/index.ts';
import type { Begun, ConductorEnvironment, Request, State } from './calls.ts';
import { begin, follow, inTime, PATIENCE_MS } from './calls.ts';
import type { Whereabouts } from './find.ts';
import { withinPatience } from './tap.ts';

/** The route of a request; null if it has none. A rule that leads nowhere is told, not passed by. */
export function routeOf(router: Router | undefined, arrival: Arrival, body: ClientBody): Routed | Plan | null {
  try {
    return router?.find(arrival.provider.deployment.id, body) ?? null;
  } catch (error) {
    if (!(error instanceof BoughError)) throw error;
    const refusal = { status: 400, message: error.message, retry: false };
    return { type: 'answer', ...refusalAnswer(arrival.protocol, refusal) };
  }
}

/** What is asked about routed models besides replies; null if the client's own provider answers it. */
export async function aboutRoutes(router: Router | undefined, arrival: Arrival): Promise<Plan | null> {
  if (router === undefined) return null;
  if (arrival.operation === 'models') {
    const [, model = null] = /\/models\/([^/?:]+)(?:\?|$)/.exec(arrival.path) ?? [];
    return router.models(arrival.provider, model === null ? null : decodeURIComponent(model));
  }
  if (arrival.operation !== 'count_tokens') return null;
  const body = countedBody(arrival);
  const routed = body && routeOf(router, arrival, body);
  if (routed === null || 'type' in routed) return routed;
  return router.count(routed);
}

/** Gemini may get the whole request to be counted inside another. */
function countedBody({ protocol, body, model }: Arrival): ClientBody | null {
  const text = Buffer.from(body).toString();
  const inner = objectOf(objectOf(parseJson(text))?.['generateContentRequest']);
  return readBody(protocol, inner === undefined ? text : JSON.stringify(inner), model ?? undefined);
}

/**
 * Answers a request from another provider. It is recorded like any other, and made of what is stored; where nothing can
 * be stored, of what the client sent.
 */
export async function conductRoute(
  env: ConductorEnvironment,
  state: State,
  request: Request,
  routed: Routed,
  finding: Promise<Whereabouts | Plan>,
): Promise<Plan> {
  const begun = await placed(env, state, request, finding);
  if (begun !== null && 'type' in begun) return begun;
  const { arrival } = request;
  const mustKeep = env.whenStoreFails === 'refuse';
  if (env.router === undefined) throw new Error('A routed request has a router.');
  if (begun === null) return env.router.answer({ arrival, routed, place: null });
  const { project, call, recorded } = begun;
  const place = { project, call, tip: recorded.tip, branches: await env.store.listBranches(project) };
  const keep = (prepared: PreparedCall): Keeper => keeperOf(state, request, begun, prepared);
  const headers = { 'x-bough-project': project };
  let isKept = false;
  try {
    return await env.router.answer({
      arrival,
      routed,
      place,
      mustKeep,
      headers,
      keep: (prepared) => {
        isKept = true;
        return keep(prepared);
      },
    });
  } finally {
    // Nothing was sent: the turn that was begun for it must not run for ever.
    if (!isKept) await ended(env, state, request, begun);
  }
}

/** Null if it cannot be recorded and the client is to be answered all the same. */
async function placed(
  env: ConductorEnvironment,
  state: State,
  request: Request,
  finding: Promise<Whereabouts | Plan>,
): Promise<Begun | Plan | null> {
  let isLate = false;
  const work = (async () => {
    const found = await finding;
    if ('type' in found) return found;
    const begun = await begin(env, state, request, found, { mode: 'route', repaired: null });
    if (isLate) await ended(env, state, request, begun);
    return begun;
  })();
  if (env.whenStoreFails === 'refuse') return work;
  try {
    return await inTime(work, PATIENCE_MS, () => (isLate = true));
  } catch (error) {
    env.onUnrecorded?.(error);
    return null;
  }
}

/** Ends a turn whose request never left. */
async function ended(env: ConductorEnvironment, state: State, request: Request, begun: Begun): Promise<void> {
  const nothing = { mode: 'route', repaired: null, repairer: null, firm: null } as const;
  const plan = follow(env, state, request, nothing, begun);
  if (plan.type === 'forward') await plan.tap.end({ type: 'lost' });
}

function keeperOf({ endings, memory }: State, { said }: Request, begun: Begun, prepared: PreparedCall): Keeper {
  const { recorded, call, project } = begun;
  const { request, context } = prepared;
  const answered = said.at(-1)?.trail ?? '';
  const settled = endings.begin(answered);
  const own = begun.bodies.map((each): KnownBody => ({ ...each, turn: recorded.turn.id }));
  const sent = writeBody(request.body, recorded.tip, [...own, ...begun.remembered]);
  const exchange: Exchange = { ...begun.exchange, sent: sent.pieces };
  let isAway = false;
  return {
    signal: recorded.signal,
    write: async (text, events) => {
      const written = recorded.write(text, events);
      written.catch(() => undefined);
      if (isAway) return;
      await withinPatience(written, () => (isAway = true));
    },
    end: async ({ raw, providerRequestId }) => {
      const stored = recorded.end({
        raw,
        providerRequestId,
        exchange: () => exchange,
        made: {
          madeWith: context.madeWith,
          renderings: [...request.renderings, ...sent.renderings],
          cachedTurns: prepared.newCachedTurns(),
        },
      });
      settled.when(stored.then(() => undefined));
      await stored;
      const bodies = [...begun.bodies, { call, of: 'sent', segments: sent.segments } as const];
      memory.keep(answered, {
        bodies: bodies.map((each): StoredBody => ({ ...each, project, turn: recorded.turn.id })),
        firm: null,
        at: { project, branch: recorded.branch.id },
      });
    },
  };
}
