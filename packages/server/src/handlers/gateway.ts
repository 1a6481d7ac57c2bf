import type { ExchangeView, RecordedCallView } from '@bough/api';
import { routes } from '@bough/api';
import type { Call, ProjectId, TurnId } from '@bough/core';
import { BoughError, projectId, turnId, UnknownIdError } from '@bough/core';
import type { CacheCause } from '@bough/gateway';
import { explainCall, rebuildBody } from '@bough/gateway';
import type { Price } from '@bough/providers';
import type { Store } from '@bough/store';
import { HttpProblem } from '../problem.ts';
import { sessionsPage } from '../gateway/sessions.ts';
import type { App, Parts } from './parts.ts';

/** What is shown of a body; the whole is downloaded. */
const SHOWN_CHARACTERS = 200_000;
const PAGE = 20;

/** What the page shows of other clients: their sessions, and each of their calls. */
export function gatewayHandlers(app: App, { store, gateway, modes, providers }: Parts): void {
  app.openapi(routes.getGateway, (context) => {
    const { clients, routes: rules, ...state } = gateway.state();
    return context.json(
      {
        ...state,
        clients: clients.map((client) => ({ ...client, providers: [...client.providers] })),
        routes: rules.map(({ from, model, to }) => ({ from, model, to: { provider: to.provider, model: to.model } })),
      },
      200,
    );
  });
  app.openapi(routes.listGatewaySessions, async (context) => {
    const { limit = PAGE, offset = 0 } = context.req.valid('query');
    return context.json(await sessionsPage(store, modes, { limit, offset }), 200);
  });
  app.openapi(routes.listExchanges, async (context) => {
    const { id, turnId: turn } = context.req.valid('param');
    const calls = await store.callsOfTurn(projectId(id), turnId(turn));
    return context.json({ calls: calls.flatMap((call) => recordedView(call) ?? []) }, 200);
  });
  app.openapi(routes.getExchange, async (context) => {
    const { id, turnId: turn, callId } = context.req.valid('param');
    const call = await recordedCall(store, projectId(id), turnId(turn), callId);
    const explained = await explainCall(store, call, (each) => priceOf(providers, each));
    const view = recordedView(call);
    if (explained === null || view === null) throw notRecorded();
    const { came, sent, difference, askedModel, previous, cache, told } = explained;
    return context.json(
      {
        call: view,
        askedModel,
        came: came === null ? null : bodyView(came),
        sent: sent === null || sent === came ? null : bodyView(sent),
        difference:
          difference === null ? null : { ...difference, lines: difference.lines.map((line) => ({ ...line })) },
        previousCallId: previous,
        cache: { ...cache, cause: causeView(cache.cause) },
        told: told === null ? null : { ...told },
      },
      200,
    );
  });
  app.openapi(routes.getExchangeBody, async (context) => {
    const { id, turnId: turn, callId } = context.req.valid('param');
    const { of } = context.req.valid('query');
    const call = await recordedCall(store, projectId(id), turnId(turn), callId);
    const body = await rebuildBody(store, call.projectId, call, of);
    if (body === null)
      throw new HttpProblem(410, 'body_gone', 'A part of this body is gone with the messages that it was stored with.');
    return context.body(body, 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${of}.json"`,
    });
  });
}

async function recordedCall(store: Store, project: ProjectId, turn: TurnId, id: string): Promise<Call> {
  const call = (await store.callsOfTurn(project, turn)).find((each) => each.id === id);
  if (call === undefined) throw new UnknownIdError('call', id);
  if (call.exchange === undefined) throw notRecorded();
  return call;
}

const notRecorded = (): HttpProblem =>
  new HttpProblem(404, 'not_recorded', 'Bough made this call itself: no client sent anything for it.');

function recordedView({ exchange, ...call }: Call): RecordedCallView | null {
  if (exchange === undefined) return null;
  const { id, turnId: turn, nodeId, provider, model, status, startedAt, endedAt, usage, cost, errorCode } = call;
  const { client, session, mode, protocol, path, sent, repairs = [] } = exchange;
  return {
    id,
    turnId: turn,
    nodeId,
    provider,
    model,
    status,
    startedAt,
    endedAt,
    usage,
    cost,
    errorCode,
    client,
    session,
    mode,
    protocol,
    path,
    changed: sent !== undefined,
    repairs: repairs.map(({ rule, at, what }) => ({ rule, at, what })),
  };
}

const bodyView = (body: string): NonNullable<ExchangeView['came']> => ({
  text: body.slice(0, SHOWN_CHARACTERS),
  characters: body.length,
  whole: body.length <= SHOWN_CHARACTERS,
});

const causeView = (cause: CacheCause): ExchangeView['cache']['cause'] => ({ ...cause });

/** A provider that was removed from the configuration has no price any more. */
function priceOf(providers: Parts['providers'], { provider, model }: Call): Price | undefined {
  try {
    return providers.get(provider).modelInfo(model).price;
  } catch (error) {
    if (error instanceof BoughError && error.code === 'unknown_provider') return undefined;
    throw error;
  }
}
