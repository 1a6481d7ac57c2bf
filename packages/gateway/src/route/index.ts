import { randomUUID } from 'node:crypto';
import type { Branch, CallId, NodeId, ProjectId, StreamError } from '@bough/core';
import { BoughError } from '@bough/core';
import type { PreparedCall, Provider } from '@bough/providers';
import type { Store } from '@bough/store';
import type { ClientBody } from '../dialect.ts';
import { refusalAnswer } from '../dialects/errors.ts';
import { failureOf } from '../dialects/failure.ts';
import { objectsOf, wordOf } from '../dialects/json.ts';
import type { AnswerPlan, Arrival } from '../pass/hook.ts';
import type { Keeper } from './answer.ts';
import { answerRoute } from './answer.ts';
import { countBody } from './count.ts';
import { leftOut } from './left-out.ts';
import { modelEntry, modelList, namedModels } from './models.ts';
import { toolNames, withSentNames } from './names.ts';
import type { Routed, RoutedCall } from './prepare.ts';
import { prepareFromBody, prepareFromTree } from './prepare.ts';
import type { RouteRule } from './rules.ts';
import { findRoute } from './rules.ts';
import type { Tokens } from './token.ts';

export type { Keeper, ReplyEnd } from './answer.ts';
export { routedEnvelope } from './prepare.ts';
export type { Routed } from './prepare.ts';
export { findRoute } from './rules.ts';
export type { RouteRule } from './rules.ts';
export { createTokens, isToken } from './token.ts';
export type { Named, Tokens } from './token.ts';

export interface RouterEnvironment {
  readonly rules: readonly RouteRule[];
  /** Undefined for a provider that is not configured. */
  readonly providerOf: (id: string) => Provider | undefined;
  readonly store: Store;
  readonly tokens: Tokens;
  readonly now: () => Date;
}

/** Where a routed request was recorded. */
export interface RoutedPlace {
  readonly project: ProjectId;
  /** What is answered: everything that the client said is stored. */
  readonly tip: NodeId;
  readonly call: CallId;
  /** All branches of the project: old nodes only say which one they were made on. */
  readonly branches: readonly Branch[];
}

export interface RouteAnswer {
  readonly arrival: Pick<Arrival, 'path' | 'signal'>;
  readonly routed: Routed;
  /** Null: nothing is recorded, and the request is made of the client's body alone. */
  readonly place: RoutedPlace | null;
  /** Called once the request is made, before it is sent. */
  readonly keep?: ((prepared: PreparedCall) => Promise<Keeper> | Keeper) | undefined;
  readonly mustKeep?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends clients' requests to other providers. */
export interface Router {
  /** Null if the client's own provider answers. Throws where the rule names a provider that does not exist. */
  readonly find: (from: string, body: ClientBody) => Routed | null;
  readonly answer: (answer: RouteAnswer) => Promise<AnswerPlan>;
  readonly count: (routed: Routed) => Promise<AnswerPlan>;
  /** The list of a provider's models, or one of them (by the path's end); null where its own server answers. */
  readonly models: (from: Provider, model: string | null) => AnswerPlan | null;
}

/** A rule that cannot be followed: it is the configuration that has to change. */
export class UnknownRouteError extends BoughError {
  constructor({ from, model, to }: RouteRule) {
    super(
      'unknown_route',
      `The route of "${model}" from "${from}" goes to "${to.provider}", and no such provider is configured.`,
    );
  }
}

export function createRouter(env: RouterEnvironment): Router {
  const answered = (value: unknown): AnswerPlan => ({
    type: 'answer',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  });
  const providerOf = (rule: RouteRule): Provider => {
    const provider = env.providerOf(rule.to.provider);
    if (provider === undefined) throw new UnknownRouteError(rule);
    return provider;
  };
  return {
    find: (from, body) => {
      const rule = findRoute(env.rules, from, body.model);
      if (rule === null) return null;
      const names = toolNames(body);
      return { rule, provider: providerOf(rule), body: withSentNames(body, names), names };
    },
    answer: async ({ routed, place, keep, headers = {}, ...rest }) => {
      const { body, names, provider } = routed;
      const missing = missingItem(body);
      if (missing !== null) return refused(body, missing);
      if (provider.keyProblem !== null) return refused(body, noKey(provider.keyProblem.message));
      let call: RoutedCall;
      try {
        call = await (place === null ? prepareFromBody(routed) : prepareFromTree(env.store, routed, place));
      } catch (error) {
        if (!(error instanceof BoughError)) throw error;
        return refused(body, unsendable(error));
      }
      const token = place === null ? null : env.tokens.write(place);
      const id = (place?.call ?? randomUUID()).replace(/[^a-zA-Z0-9]/g, '');
      const keeper = (await keep?.(call.prepared)) ?? null;
      const without = leftOut(body);
      const told = without.length === 0 ? headers : { ...headers, 'x-bough-left-out': without.join(', ') };
      return answerRoute({ ...rest, headers: told, body, names, provider, call, id, token, keeper, now: env.now });
    },
    count: async (routed) => {
      const { prepared } = await prepareFromBody(routed);
      return answered(countBody(routed.body.protocol, prepared.context.estimatedTokens));
    },
    models: ({ deployment, keyProblem }, model) => {
      const { id: from, protocol } = deployment;
      const infoOf = (rule: RouteRule): Routed['provider']['deployment']['models'][number] | null =>
        env.providerOf(rule.to.provider)?.modelInfo(rule.to.model) ?? null;
      if (model !== null) {
        const rule = findRoute(env.rules, from, model);
        const info = rule && infoOf(rule);
        return info && answered(modelEntry(protocol, { id: model, info }));
      }
      // The vendor's own list is better, for whoever may ask for it.
      if (keyProblem === null) return null;
      const models = namedModels(env.rules, from).flatMap((rule) => {
        const info = infoOf(rule);
        return info === null ? [] : [{ id: rule.model, info }];
      });
      return models.length === 0 ? null : answered(modelList(protocol, models));
    },
  };
}

function refused({ protocol }: ClientBody, error: StreamError): AnswerPlan {
  return { type: 'answer', ...refusalAnswer(protocol, failureOf(error)) };
}

const noKey = (message: string): StreamError => ({ code: 'authentication', message, retryable: false });

function unsendable({ code, message }: BoughError): StreamError {
  const isTooLong = code === 'context_too_long';
  return { code: isTooLong ? 'context_too_long' : 'invalid_request', message, retryable: false };
}

/**
 * OpenAI keeps replies, and clients may refer to them instead of sending them. A route keeps them too, but under no id
 * of OpenAI's: the client is told what OpenAI tells one whose items were not kept, and sends them.
 */
function missingItem(body: ClientBody): StreamError | null {
  if (body.protocol !== 'openai-responses') return null;
  const value = body.json();
  const previous = wordOf(value['previous_response_id']);
  const reference = objectsOf(value['input']).find(({ type }) => type === 'item_reference');
  const message =
    previous !== undefined
      ? `Previous response with id '${previous}' not found.`
      : reference !== undefined
        ? `Item with id '${wordOf(reference['id']) ?? ''}' not found. Items are not persisted when \`store\` is set to false.`
        : null;
  if (message === null) return null;
  const advice = 'This model is routed to another provider: send the whole history (store: false).';
  return { code: 'invalid_request', message: `${message} ${advice}`, retryable: false };
}
