import { isPlainObject } from '@bough/core';
import type { GeminiRequest } from '@bough/providers';
import { geminiTraitsOf, PROTOCOLS, readGeminiRequest } from '@bough/providers';
import { scriptOf } from '../../commands/index.ts';
import { jsonAnswer } from '../../deliver/send.ts';
import type { CacheCount } from '../../prompt-cache/index.ts';
import { accountOf } from '../../prompt-cache/index.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { Reply } from '../../reply.ts';
import type { World } from '../../world.ts';
import { countGemini } from './cached.ts';
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
import { groundingOf, serverToolParts } from './server-tools.ts';

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

function generate(route: Generate, { body, headers }: SimulatedRequest, world: World): Answer {
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
  const counted = countGemini(request, route.model, accountOf(headers), world);
  return answerWith(hop, route, counted, world);
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
  /** What the candidate says about its search. */
  readonly grounding: object;
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
  const script = scriptOf(prompt);
  const { hops = 1 } = script;
  const said = partsOf(planned, hops > 1 ? { ...options, streamed: true } : options, world);
  const signs = options.traits.requiresSignatures;
  const isAsked = prompt.toolResults.length === 0 && prompt.toolsAllowed && planned.stop !== 'refusal';
  const ran = isAsked ? serverToolParts(request, script, { model, reply: responseId, signs }, world) : [];
  const grounding = isAsked ? groundingOf(request, script, planned.parts) : {};
  const parts = [...ran, ...said];
  rememberReply(parts, model, world);
  const thoughtTokens = tokensIn(planned.parts.filter((part) => part.type === 'thinking'));
  const first = planned.stop === 'end_turn' ? firstHop(parts, hops, request, model, world) : { parts };
  return { ...first, responseId, stop: planned.stop, thoughtTokens, grounding };
}

function answerWith(
  { parts, token, responseId, stop = 'end_turn', thoughtTokens = 0, grounding = {} }: Hop & Partial<PlannedHop>,
  { model, form }: Generate,
  counted: CacheCount,
  world: World,
): Answer {
  const options = {
    model,
    responseId: responseId ?? world.newId('', 22),
    promptTokens: counted.input,
    cachedTokens: counted.read,
    thoughtTokens,
    grounding,
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
