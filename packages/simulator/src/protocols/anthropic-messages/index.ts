import { isPlainObject } from '@bough/core';
import type { ClaudeTraits, ModelInfo } from '@bough/providers';
import { claudeTraitsOf, PROTOCOLS } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { Reply } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { ContentOptions } from './content.ts';
import { contentOf } from './content.ts';
import { errorAnswer, errorFrame } from './errors.ts';
import { framesOf } from './frames.ts';
import type { Dropped, Verdict } from './history.ts';
import { judgeHistory, rememberReply } from './history.ts';
import { describeModel, listModels, modelNamed, playedDeployment } from './models.ts';
import { promptOf } from './prompt.ts';
import { routeOf } from './route.ts';
import { schemaProblem } from './schema.ts';
import { isSealed } from './signatures.ts';
import type { Prefixes, Turn } from './turns.ts';
import { prefixesOf, turnsOf } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

/** Anthropic's half of the simulator: messages, token counts and the list of models. */
export const anthropicProtocol: SimulatedProtocol = {
  accepts: (request) => routeOf(request) !== null,
  modelOf: ({ body }) => (isPlainObject(body) && typeof body['model'] === 'string' ? body['model'] : null),
  answer: (request, world) => {
    const route = routeOf(request);
    switch (route?.type) {
      case 'messages':
      case 'count':
        return converse(request, world, route.type === 'count');
      case 'models':
        return listModels(request);
      case 'model':
        return describeModel(route.model) ?? errorAnswer(404, `model: ${route.model}`);
      case undefined:
        return errorAnswer(404, `Nothing is served at ${request.path}.`);
    }
  },
  errorFrame,
  errorAnswer,
};

/** Everything known about a request once it has been accepted. */
interface Accepted {
  readonly body: Json;
  readonly model: ModelInfo;
  readonly traits: ClaudeTraits;
  readonly betas: readonly string[];
  readonly turns: readonly Turn[];
  readonly prefixes: Prefixes;
  readonly verdict: Verdict;
}

interface Refused {
  readonly status: number;
  readonly message: string;
  readonly rule: string;
  readonly code?: string | undefined;
}

function converse(request: SimulatedRequest, world: World, counting: boolean): Answer {
  const requestId = world.newId('req_011C', 20);
  const outcome = judge(request, world, counting);
  if ('status' in outcome) {
    const { status, message, rule, code } = outcome;
    world.note({ kind: 'rejected', rule, detail: message });
    return errorAnswer(status, message, { requestId, ...(code !== undefined && { code }) });
  }
  for (const { path, reason } of outcome.verdict.dropped) {
    world.note({ kind: 'silent_drop', rule: 'ANT-SIM-4', detail: `${path}: ${reason}` });
  }
  world.note({ kind: 'accepted', detail: `${outcome.turns.length} turns` });
  if (counting) return jsonAnswer(200, { input_tokens: tokensIn(outcome.body) });
  return reply(outcome, world, requestId);
}

function judge({ body, headers }: SimulatedRequest, world: World, counting: boolean): Accepted | Refused {
  const invalid = (rule: string, message: string): Refused => ({ status: 400, rule, message });
  if (headers['anthropic-version'] === undefined) return invalid('ANT-SIM-5', 'anthropic-version: header is required');
  const betas = (headers['anthropic-beta'] ?? '').split(',').flatMap((beta) => beta.trim() || []);
  const problem = schemaProblem(body, { counting, betas, isIssued: (block) => isSealed(block, world) });
  if (problem !== null || !isPlainObject(body)) return invalid('ANT-SIM-5', problem ?? '');

  const deployment = playedDeployment();
  const id = String(body['model']);
  const model = modelNamed(id);
  if (model === null) return { status: 404, rule: 'ANT-SIM-5', message: `model: ${id}` };
  const asked = counting ? { ...body, max_tokens: 1 } : body;
  const withBetas = { ...deployment, headers: { ...deployment.headers, 'anthropic-beta': betas.join(',') } };
  const violations = PROTOCOLS['anthropic-messages'].check(asked, model, withBetas);
  const broken = violations.find(({ kind }) => kind === 'rejection');
  if (broken !== undefined) return { ...broken, code: broken.errorCode };
  for (const { rule, path, message } of violations)
    world.note({ kind: 'silent_drop', rule, detail: `${path}: ${message}` });

  const turns = turnsOf(body);
  const prefixes = prefixesOf(body, turns);
  const traits = claudeTraitsOf(model);
  const canDrop = betas.includes('thinking-binding-controls-2026-08-01');
  const onMismatch = wantsDrop(body) && canDrop ? 'drop_block' : 'error';
  const verdict = judgeHistory(turns, { model: model.id, traits, prefixes, onMismatch, canDrop }, world);
  if (verdict.refusal !== null) return { status: 400, ...verdict.refusal };
  return { body, model, traits, betas, turns, prefixes, verdict };
}

function wantsDrop({ thinking }: Json): boolean {
  const binding = isPlainObject(thinking) ? thinking['block_binding'] : undefined;
  return isPlainObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

function reply(accepted: Accepted, world: World, requestId: string): Answer {
  const { body, model, traits, turns, betas, verdict } = accepted;
  const mode = modeOf(accepted);
  const asked = betas.some((beta) => beta.startsWith('interleaved-thinking-'));
  const isGranted = mode === 'manual' && asked && traits.interleaves === 'by_header';
  const interleaves = mode !== 'manual' || isGranted;
  const prompt = promptOf(body, turns, (hasResults) => {
    if (mode === 'off') return false;
    return mode === 'between_tools' ? hasResults : interleaves || !hasResults;
  });
  const planned = world.plan(isGranted ? { ...prompt, interleaves: true } : prompt);
  const id = world.newId('msg_01', 22);
  const content = contentOf(planned, optionsFor(accepted, id, prompt.thinking, !interleaves), world);
  rememberReply(id, content, world);
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: model.id,
    ...stopOf(planned),
    usage: usageOf(body, content),
    ...transformations(verdict.dropped, betas),
  };
  const answerHeaders = { 'request-id': requestId };
  if (body['stream'] === true) return { type: 'stream', headers: answerHeaders, frames: framesOf(message, content) };
  return { ...jsonAnswer(200, { ...message, content }), headers: answerHeaders };
}

function modeOf({ body, traits }: Accepted): 'off' | 'manual' | 'adaptive' | 'between_tools' {
  const thinking = body['thinking'];
  switch (isPlainObject(thinking) ? thinking['type'] : undefined) {
    case 'enabled':
      return 'manual';
    case 'adaptive':
      return 'adaptive';
    case 'between_tools':
      return 'between_tools';
    case 'disabled':
      return 'off';
    default:
      return traits.thinkingDefault === 'on' ? 'adaptive' : 'off';
  }
}

function optionsFor(accepted: Accepted, reply: string, thinks: boolean, onlyAtTheStart: boolean): ContentOptions {
  const { body, model, traits, turns, prefixes, verdict } = accepted;
  const asked = isPlainObject(body['thinking']) ? body['thinking']['display'] : undefined;
  // A reply that continues the last turn is part of that turn, after what was already there.
  const continues = turns.at(-1)?.role === 'assistant';
  return {
    model: model.id,
    reply,
    thinks,
    onlyAtTheStart,
    display: asked === 'summarized' || asked === 'omitted' ? asked : traits.displayDefault,
    prefix: prefixes.before.at(continues ? -2 : -1) ?? '',
    system: prefixes.system,
    lastThought: verdict.lastThought,
  };
}

function stopOf({ stop }: Reply): Json {
  const details = stop === 'refusal' ? { type: 'refusal', category: 'general_harms', explanation: null } : null;
  return { stop_reason: stop, stop_sequence: null, stop_details: details };
}

function usageOf(body: Json, content: readonly Json[]): Json {
  const thoughts = content.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  return {
    input_tokens: tokensIn(body),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: tokensIn(content),
    output_tokens_details: { thinking_tokens: thoughts.length === 0 ? 0 : tokensIn(thoughts) },
    service_tier: 'standard',
  };
}

/** What was dropped is reported only to clients that ask. */
function transformations(dropped: readonly Dropped[], betas: readonly string[]): Json {
  if (!betas.includes('thinking-binding-controls-2026-08-01')) return {};
  return { input_transformations: dropped.map(({ path, reason }) => ({ type: 'thinking_dropped', path, reason })) };
}

const CHARACTERS_PER_TOKEN = 4;

function tokensIn(value: unknown): number {
  return Math.max(1, Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN));
}
