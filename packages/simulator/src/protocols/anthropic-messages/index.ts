import { isPlainObject } from '@bough/core';
import { readScript, scriptOf } from '../../commands/index.ts';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { Reply } from '../../reply.ts';
import type { World } from '../../world.ts';
import type { ContentOptions } from './content.ts';
import { countClaude, countersOf } from './cached.ts';
import { summaryOf } from './compaction.ts';
import { contentOf } from './content.ts';
import { diagnosticsOf, rememberRequest } from './diagnostics.ts';
import { errorAnswer, errorFrame } from './errors.ts';
import { framesOf } from './frames.ts';
import { playHosted } from './hosted.ts';
import type { Dropped } from './history.ts';
import { rememberReply } from './history.ts';
import type { Accepted } from './judge.ts';
import { judge } from './judge.ts';
import { describeModel, listModels } from './models.ts';
import { playProgram } from './programs.ts';
import { promptOf } from './prompt.ts';
import { routeOf } from './route.ts';
import { holdThread } from './threads.ts';
import { removeFile, takeFile } from './uploads.ts';
import { rememberThoughts } from './withheld.ts';

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
      case 'files':
        return takeFile(request, world);
      case 'remove_file':
        return removeFile(route.id, world);
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
  const { withheld } = outcome;
  if (withheld.length > 0)
    world.note({ kind: 'silent_drop', rule: 'ANT-SIM-9', detail: `Thoughts left out: ${withheld.length}`, withheld });
  world.note({ kind: 'accepted', detail: `${outcome.turns.length} turns` });
  if (counting) return jsonAnswer(200, { input_tokens: tokensIn(outcome.body) });
  return reply(outcome, world, requestId);
}

function reply(accepted: Accepted, world: World, requestId: string): Answer {
  const { body, turns, betas, traits } = accepted;
  if (isPlainObject(body['compaction'])) return summarise(accepted, world, requestId);
  const mode = modeOf(accepted);
  const asked = betas.some((beta) => beta.startsWith('interleaved-thinking-'));
  const isGranted = mode === 'manual' && asked && traits.interleaves === 'by_header';
  const interleaves = mode !== 'manual' || isGranted;
  const prompt = promptOf(body, turns, (hasResults) => {
    if (mode === 'off') return false;
    return mode === 'between_tools' ? hasResults : interleaves || !hasResults;
  });
  const id = world.newId('msg_01', 22);
  const wanted = isGranted ? { ...prompt, interleaves: true } : prompt;
  const planned: Reply = body['max_tokens'] === 0 ? { parts: [], stop: 'max_tokens' } : world.plan(wanted);
  const spoken = contentOf(planned, optionsFor(accepted, id, prompt.thinking, !interleaves), world);
  const hosted = planned.stop === 'refusal' ? null : playHosted(spoken, body, turns, scriptOf(prompt), world);
  const { content, container } = hosted ?? playProgram(spoken, body, turns, world);
  const stop = hosted?.isPaused === true ? PAUSED : stopOf(planned);
  return send(accepted, { id, content, container, stop, usage: usageOf(accepted, content, world) }, requestId, world);
}

interface Outgoing {
  readonly id: string;
  readonly content: readonly Json[];
  readonly container: Json | null;
  readonly stop: Json;
  readonly usage: Json;
}

function send(accepted: Accepted, outgoing: Outgoing, requestId: string, world: World): Answer {
  const { body, model, betas, turns, verdict } = accepted;
  const { id, content, container, stop, usage } = outgoing;
  rememberReply(id, content, world);
  rememberThoughts(content, world);
  holdThread(body, id, content, world);
  const diagnostics = diagnosticsOf(body, turns, world);
  rememberRequest(id, body, turns, world);
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: model.id,
    ...(container !== null && { container }),
    ...stop,
    usage,
    ...(diagnostics !== undefined && { diagnostics }),
    ...transformations(verdict.dropped, betas),
  };
  const answerHeaders = { 'request-id': requestId };
  if (body['stream'] === true) return { type: 'stream', headers: answerHeaders, frames: framesOf(message, content) };
  return { ...jsonAnswer(200, { ...message, content }), headers: answerHeaders };
}

/** A summary of the conversation, and nothing else. What it used stands only in the list of passes. */
function summarise(accepted: Accepted, world: World, requestId: string): Answer {
  const { body, traits, turns, prefixes } = accepted;
  const { instructions } = isPlainObject(body['compaction']) ? body['compaction'] : {};
  if (typeof instructions === 'string' && readScript(instructions).unsummarised === true) {
    const code = 'compaction_too_many_tool_references';
    return errorAnswer(400, 'messages: this conversation cannot be summarized', { requestId, code });
  }
  const content = [summaryOf(turns, prefixes, traits.prefixCheck !== 'none', world)];
  const { input_tokens, output_tokens, ...counters } = usageOf(accepted, content, world);
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

const PAUSED: Json = { stop_reason: 'pause_turn', stop_sequence: null, stop_details: null };

function stopOf({ stop }: Reply): Json {
  const details = stop === 'refusal' ? { type: 'refusal', category: 'general_harms', explanation: null } : null;
  return { stop_reason: stop, stop_sequence: null, stop_details: details };
}

function usageOf(accepted: Accepted, content: readonly Json[], world: World): Json {
  const thoughts = content.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  return {
    ...countersOf(countClaude(accepted, world)),
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
