import { isPlainObject } from '@bough/core';
import type { GeminiRequest } from '@bough/providers';
import { geminiTraitsOf, PROTOCOLS, readGeminiRequest } from '@bough/providers';
import { readScript } from '../../commands/index.ts';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { Reply } from '../../reply.ts';
import type { World } from '../../world.ts';
import { streamedReply, tokensIn, wholeReply } from './chunks.ts';
import { arrayErrorAnswer, errorAnswer, errorFrame } from './errors.ts';
import { checkHistory, rememberReply } from './history.ts';
import { describeModel, listModels, modelNamed, playedDeployment } from './models.ts';
import { partsOf } from './parts.ts';
import type { Hop } from './hops.ts';
import { firstHop, nextHop, UNKNOWN_TOKEN } from './hops.ts';
import { promptOf } from './prompt.ts';
import type { Route } from './route.ts';
import { routeOf } from './route.ts';
import { serverToolParts } from './server-tools.ts';

/** Gemini's half of the simulator: generateContent, streamGenerateContent, countTokens and the list of models. */
export const geminiProtocol: SimulatedProtocol = {
  accepts: (request) => routeOf(request) !== null,
  modelOf: (request) => {
    const route = routeOf(request);
    return route === null || route.type === 'models' ? null : route.model;
  },
  answer: (request, world) => {
    const route = routeOf(request);
    switch (route?.type) {
      case undefined:
        return errorAnswer(404, `Nothing is served at ${request.path}.`);
      case 'models':
        return listModels(request);
      case 'model':
        return describeModel(route.model);
      case 'count':
        return countTokens(request.body);
      case 'generate':
        return generate(route, request, world);
    }
  },
  errorFrame,
  errorAnswer,
};

type Generate = Extract<Route, { type: 'generate' }>;

function generate(route: Generate, { body }: SimulatedRequest, world: World): Answer {
  const { request } = readGeminiRequest(body);
  const refused = (message: string): Answer =>
    route.form === 'array' ? arrayErrorAnswer(400, message) : errorAnswer(400, message);
  const refusal = judge(body, request, route.model, world);
  if (refusal !== null) return refused(refusal);
  const token = request['continuationToken'];
  const hop = token === undefined ? newReply(route, request, world) : nextHop(token, request, route.model, world);
  if (hop === null) {
    world.note({ kind: 'rejected', ...UNKNOWN_TOKEN });
    return refused(UNKNOWN_TOKEN.detail);
  }
  world.note({ kind: 'accepted', detail: `${request.contents.length} contents` });
  return answerWith(hop, route, request, world);
}

/** The sentence with which the request is refused, or null. What is only lost is noted, and the request goes on. */
function judge(body: unknown, request: GeminiRequest, model: string, world: World): string | null {
  const deployment = playedDeployment();
  const info = modelNamed(model);
  const own = checkHistory(request, model, geminiTraitsOf(info), world);
  const shared = PROTOCOLS.gemini.check(body, info, deployment);
  const findings = [
    ...shared.map(({ kind, rule, message }) => ({ isFatal: kind === 'rejection', rule, message, withheld: [] })),
    ...own.map(({ verdict, rule, message, withheld = [] }) => ({
      isFatal: verdict === 'rejected',
      rule,
      message,
      withheld,
    })),
  ];
  const fatal = findings.find(({ isFatal }) => isFatal);
  if (fatal !== undefined) {
    world.note({ kind: 'rejected', rule: fatal.rule, detail: fatal.message });
    return fatal.message;
  }
  for (const { rule, message, withheld } of findings)
    world.note({ kind: 'silent_drop', rule, detail: message, withheld });
  return null;
}

interface PlannedHop extends Hop {
  readonly responseId: string;
  readonly stop: Reply['stop'];
  readonly thoughtTokens: number;
}

function newReply({ model, form }: Generate, request: GeminiRequest, world: World): PlannedHop {
  const prompt = promptOf(request, model);
  const planned = world.plan(prompt);
  const responseId = world.newId('', 22);
  const options = {
    model,
    traits: geminiTraitsOf(playedDeployment().modelInfo(model)),
    responseId,
    includeThoughts: request.generationConfig?.thinkingConfig?.includeThoughts === true,
    streamed: form !== 'whole',
  };
  const { hops = 1 } = readScript(prompt.userText);
  const said = partsOf(planned, hops > 1 ? { ...options, streamed: true } : options, world);
  const ran = prompt.toolResults.length > 0 ? [] : serverToolParts(request, { model, reply: responseId }, world);
  const parts = [...ran, ...said];
  rememberReply(parts, model, world);
  const thoughtTokens = tokensIn(planned.parts.filter((part) => part.type === 'thinking'));
  const first = planned.stop === 'end_turn' ? firstHop(parts, hops, request, model, world) : { parts };
  return { ...first, responseId, stop: planned.stop, thoughtTokens };
}

function answerWith(
  { parts, token, responseId, stop = 'end_turn', thoughtTokens = 0 }: Hop & Partial<PlannedHop>,
  { model, form }: Generate,
  request: GeminiRequest,
  world: World,
): Answer {
  const options = {
    model,
    responseId: responseId ?? world.newId('', 22),
    promptTokens: tokensIn(request),
    thoughtTokens,
    stop,
    ...(token !== undefined && { continuationToken: token }),
  };
  if (form === 'whole') return jsonAnswer(200, wholeReply(parts, options));
  const chunks = streamedReply(parts, options).map((chunk) => JSON.stringify(chunk));
  return form === 'array'
    ? { type: 'body', status: 200, body: `[${chunks.join(',\r\n')}]` }
    : { type: 'stream', frames: chunks.map((chunk) => `data: ${chunk}\r\n\r\n`) };
}

function countTokens(body: unknown): Answer {
  const asked = isPlainObject(body) ? (body['generateContentRequest'] ?? body) : body;
  const { request } = readGeminiRequest(asked);
  if (request.contents.length === 0) {
    return errorAnswer(400, '* CountTokensRequest.contents: contents is not specified\n');
  }
  return jsonAnswer(200, { totalTokens: tokensIn(request.contents) });
}
