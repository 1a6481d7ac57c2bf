import { isPlainObject } from '@bough/core';
import type { ClaudeTraits, ModelInfo } from '@bough/providers';
import { claudeTraitsOf, PROTOCOLS } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { Reply } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { ContentOptions } from './content.ts';
import { judgeSummary, summaryOf } from './compaction.ts';
import { contentOf } from './content.ts';
import { errorAnswer, errorFrame } from './errors.ts';
import { framesOf } from './frames.ts';
import type { Dropped, Refusal, Verdict } from './history.ts';
import { judgeHistory, rememberReply } from './history.ts';
import { describeModel, listModels, playedDeployment } from './models.ts';
import { judgeContainer, playProgram } from './programs.ts';
import { promptOf } from './prompt.ts';
import { routeOf } from './route.ts';
import { schemaProblem } from './schema.ts';
import { isSealed } from './signatures.ts';
import { holdThread, withThread } from './threads.ts';
import type { Prefixes, Turn } from './turns.ts';
import { baseOf, prefixesOf, turnsOf } from './turns.ts';

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
        return listModels();
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

function judge({ body: sent, headers }: SimulatedRequest, world: World, counting: boolean): Accepted | Refused {
  const { 'anthropic-version': version, 'anthropic-beta': beta = '' } = headers;
  if (version === undefined) return invalid('anthropic-version: header is required');
  const betas = beta.split(',').flatMap((name) => name.trim() || []);
  const unknown = betas.filter((name) => !DATED.test(name));
  if (unknown.length > 0) return invalid(unknownBetas(unknown));
  const problem = schemaProblem(sent, { counting, betas, isIssued: (block) => isSealed(block, world) });
  if (problem !== null || !isPlainObject(sent)) return invalid(problem ?? '');
  const body = withThread(sent, world);
  if (isRefusal(body)) return refusedBy(body);

  const deployment = playedDeployment();
  const model = deployment.modelInfo(String(body['model']));
  if (!model.known) return { status: 404, rule: 'ANT-SIM-5', message: `model: ${model.id}` };
  const asked = counting ? { ...body, max_tokens: 1 } : body;
  const own = { 'anthropic-version': version, 'anthropic-beta': beta };
  const [broken] = PROTOCOLS['anthropic-messages']
    .check(asked, model, { ...deployment, headers: { ...deployment.headers, ...own } })
    .filter(({ kind }) => kind === 'rejection');
  if (broken !== undefined) return { ...broken, code: broken.errorCode };

  const turns = turnsOf(body);
  const summary = judgeSummary(turns, baseOf(body).base, world);
  const refusal = summary.refusal ?? judgeContainer(body, turns, world);
  if (refusal !== null) return refusedBy(refusal);
  const prefixes = prefixesOf(body, turns, summary.ends);
  const traits = claudeTraitsOf(model);
  const canDrop = betas.includes('thinking-binding-controls-2026-08-01');
  const onMismatch = wantsDrop(body) && canDrop ? 'drop_block' : 'error';
  const verdict = judgeHistory(turns, { model: model.id, traits, prefixes, onMismatch, canDrop }, world);
  if (verdict.refusal !== null) return refusedBy(verdict.refusal);
  return { body, model, traits, betas, turns, prefixes, verdict };
}

const invalid = (message: string): Refused => ({ status: 400, rule: 'ANT-SIM-5', message });

const refusedBy = ({ status = 400, ...refusal }: Refusal): Refused => ({ status, ...refusal });

function isRefusal(value: Json | Refusal): value is Refusal {
  return value['rule'] === 'ANT-SIM-6';
}

/** Every beta has a date. Which ones an organisation may use only the provider knows: all dated ones are accepted. */
const DATED = /-\d{4}-?\d{2}-?\d{2}$/;

function unknownBetas(names: readonly string[]): string {
  const values = names.map((name) => `\`${name}\``).join(', ');
  return (
    `Unexpected value(s) ${values} for the \`anthropic-beta\` header. Please consult our documentation at ` +
    'platform.claude.com/docs or try again without the header.'
  );
}

function wantsDrop({ thinking }: Json): boolean {
  const binding = isPlainObject(thinking) ? thinking['block_binding'] : undefined;
  return isPlainObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

function reply(accepted: Accepted, world: World, requestId: string): Answer {
  const { body, turns, betas } = accepted;
  if (isPlainObject(body['compaction'])) return summarise(accepted, world, requestId);
  const mode = modeOf(accepted);
  const interleaves = mode !== 'manual' || betas.some((beta) => beta.startsWith('interleaved-thinking-'));
  const prompt = promptOf(body, turns, (hasResults) => {
    if (mode === 'off') return false;
    return mode === 'between_tools' ? hasResults : interleaves || !hasResults;
  });
  const id = world.newId('msg_01', 22);
  const planned: Reply = body['max_tokens'] === 0 ? { parts: [], stop: 'max_tokens' } : world.plan(prompt);
  const spoken = contentOf(planned, optionsFor(accepted, id, prompt.thinking, !interleaves), world);
  const { content, container } = playProgram(spoken, body, turns, world);
  return send(accepted, { id, content, container, stop: stopOf(planned), usage: usageOf(body, content) }, requestId, world);
}

interface Outgoing {
  readonly id: string;
  readonly content: readonly Json[];
  readonly container: Json | null;
  readonly stop: Json;
  readonly usage: Json;
}

function send(accepted: Accepted, outgoing: Outgoing, requestId: string, world: World): Answer {
  const { body, model, betas, verdict } = accepted;
  const { id, content, container, stop, usage } = outgoing;
  rememberReply(id, content, world);
  holdThread(body, id, content, world);
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: model.id,
    ...(container !== null && { container }),
    ...stop,
    usage,
    ...transformations(verdict.dropped, betas),
  };
  const answerHeaders = { 'request-id': requestId };
  if (body['stream'] === true) return { type: 'stream', headers: answerHeaders, frames: framesOf(message, content) };
  return { ...jsonAnswer(200, { ...message, content }), headers: answerHeaders };
}

/** A summary of the conversation, and nothing else. What it used stands only in the list of passes. */
function summarise(accepted: Accepted, world: World, requestId: string): Answer {
  const { body, traits, turns, prefixes } = accepted;
  const content = [summaryOf(turns, prefixes, traits.prefixCheck !== 'none', world)];
  const { input_tokens, output_tokens, ...counters } = usageOf(body, content);
  const pass = { type: 'compaction', input_tokens, output_tokens, ...counters };
  const usage = { ...counters, input_tokens: 0, output_tokens: 0, iterations: [pass] };
  const stop = { stop_reason: 'compaction', stop_sequence: null, stop_details: null };
  return send(accepted, { id: world.newId('msg_01', 22), content, container: null, stop, usage }, requestId, world);
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
    prefix: prefixes.chains[0]?.at(continues ? -2 : -1) ?? '',
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
