import { isPlainObject, UnknownIdError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { readResponsesTraits, responsesRuleContext, responsesRules, simulatedDeployments } from '@bough/providers';
import type { Script } from '../../commands/index.ts';
import { scriptOf } from '../../commands/index.ts';
import { jsonAnswer, requestId } from '../../deliver/send.ts';
import type { Reply } from '../../reply.ts';
import { accountOf } from '../../prompt-cache/index.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { World } from '../../world.ts';
import { cacheDiagnostics } from './cache.ts';
import { countResponses, inputCounters } from './cached.ts';
import { compactedOutput, compactionItem, isDue, isTriggered, listedItem } from './compaction.ts';
import { judgeFiles, removeFile, takeFile } from './container-files.ts';
import { errorAnswer, errorFrame, refuse } from './errors.ts';
import { framesOf } from './events.ts';
import type { History, HistoryFinding } from './history.ts';
import { judgeHistory, lossesOf } from './history.ts';
import { hostedItems, toolSearch } from './hosted.ts';
import { forgetResponse, issuedFacts, recallItem, recallResponse, rememberResponse } from './memory.ts';
import { outputOf } from './output.ts';
import { judgeParameters } from './parameters.ts';
import { programFor, programOutputs } from './programs.ts';
import { promptOf } from './prompt.ts';
import { responseOf } from './response.ts';
import { hasTool, offeredTools } from './tools.ts';
import type { Json } from './wire.ts';
import { itemsOf, kindOf, records, text, tokensIn } from './wire.ts';

/**
 * The Responses half of the simulator: creating a response, streamed or not, counting and compacting its input, and
 * reading, listing or deleting a stored one.
 */
export const responsesProtocol: SimulatedProtocol = {
  accepts: (request) => actionOf(request) !== null,
  modelOf: ({ body }) => (isPlainObject(body) ? text(body['model']) || null : null),
  answer: (request, world) => {
    const answer = answerTo(request, world);
    return {
      ...answer,
      headers: { ...answer.headers, 'x-request-id': requestId(JSON.stringify(request.body ?? request.path)) },
    };
  },
  errorFrame,
  errorAnswer,
};

const PATHS = {
  files: /\/v1\/files\/?$/,
  file: /\/v1\/files\/([^/]+)$/,
  create: /\/responses\/?$/,
  compact: /\/responses\/compact$/,
  count: /\/responses\/input_tokens$/,
  list: /\/responses\/([^/]+)\/input_items$/,
  one: /\/responses\/([^/]+)$/,
} as const;

function actionOf({
  method,
  path,
  headers,
}: SimulatedRequest): 'files' | 'remove_file' | 'create' | 'compact' | 'count' | 'list' | 'read' | 'delete' | null {
  switch (method) {
    case 'POST':
      // Anthropic's clients ask at the same place; their version header shows them.
      if (PATHS.files.test(path)) return headers['anthropic-version'] === undefined ? 'files' : null;
      return (['create', 'compact', 'count'] as const).find((action) => PATHS[action].test(path)) ?? null;
    case 'GET':
      return PATHS.list.test(path) ? 'list' : PATHS.one.test(path) ? 'read' : null;
    case 'DELETE':
      if (PATHS.file.test(path)) return headers['anthropic-version'] === undefined ? 'remove_file' : null;
      return PATHS.one.test(path) ? 'delete' : null;
    default:
      return null;
  }
}

function answerTo(request: SimulatedRequest, world: World): Answer {
  const body: Json = isPlainObject(request.body) ? request.body : {};
  switch (actionOf(request)) {
    case 'files':
      return takeFile(request, world);
    case 'remove_file':
      return removeFile(decodeURIComponent(PATHS.file.exec(request.path)?.[1] ?? ''), world);
    case 'compact':
      return compact(body, request, world);
    case 'count':
      return jsonAnswer(200, {
        object: 'response.input_tokens',
        input_tokens: tokensIn(historyOf(body, 'vendor', world)?.items ?? []),
      });
    case 'list':
    case 'read':
    case 'delete':
      return stored(request, world);
    case 'create':
    case null:
      return create(body, request, world);
  }
}

/** What the simulator plays here: its own models, then OpenAI's, so that a client may ask for a real one by name. */
function playedDeployment(): Deployment {
  const played = simulatedDeployments('http://127.0.0.1').find(({ protocol }) => protocol === 'openai-responses');
  if (played === undefined) throw new UnknownIdError('simulated deployment', 'openai-responses');
  return played;
}

/** Reads, lists or deletes a response that was stored. */
function stored(request: SimulatedRequest, world: World): Answer {
  const [, name = ''] = PATHS.list.exec(request.path) ?? PATHS.one.exec(request.path) ?? [];
  const id = decodeURIComponent(name);
  const given = recallResponse(world, id);
  if (given === null || !given.stored) {
    return refuse({ status: 404, message: `Response with id '${id}' not found.`, param: null, code: null });
  }
  switch (actionOf(request)) {
    case 'list': {
      const output = records(given.response['output']).length;
      const data = given.context.slice(0, given.context.length - output).map((item) => listedItem(item, world));
      const ids = { first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
      return jsonAnswer(200, { object: 'list', data, ...ids, has_more: false });
    }
    case 'delete':
      forgetResponse(world, given);
      return jsonAnswer(200, { id, object: 'response', deleted: true });
    default:
      return jsonAnswer(200, given.response);
  }
}

/** The user's messages and one opaque item in place of the whole conversation. */
function compact(body: Json, { headers }: SimulatedRequest, world: World): Answer {
  const history = historyOf(body, 'vendor', world);
  if (history === null) return refuseAloud(unknownPrevious(body), world);
  const finding = judgeHistory(history, world);
  if (finding !== null) return refuseAloud(finding, world);
  world.note({ kind: 'accepted', detail: `${history.items.length} items compacted` });
  const output = compactedOutput(history.items, history.model, world);
  const count = countResponses(body, history, accountOf(headers), world);
  const output_tokens = tokensIn(output);
  const usage = { ...inputCounters(count), output_tokens, total_tokens: count.input + output_tokens };
  const created_at = Math.floor(world.now() / 1000);
  return jsonAnswer(200, { id: world.newId('resp_', 48), object: 'response.compaction', created_at, output, usage });
}

function create(body: Json, request: SimulatedRequest, world: World): Answer {
  const deployment = playedDeployment();
  const model = deployment.modelInfo(text(body['model']));
  const history = historyOf(body, readsOf(request, model), world);
  if (history === null) return refuseAloud(unknownPrevious(body), world);
  const finding = judge(body, model, deployment, history, world);
  if (finding !== null) return refuseAloud(finding, world);
  world.note({ kind: 'accepted', detail: `${history.items.length} items` });
  const response = reply(body, model, history, accountOf(request.headers), world);
  return body['stream'] === true ? { type: 'stream', frames: framesOf(response) } : jsonAnswer(200, response);
}

function refuseAloud(finding: HistoryFinding, world: World): Answer {
  world.note({ kind: 'rejected', rule: finding.rule, detail: finding.message });
  return refuse(finding);
}

/**
 * OpenAI's models decrypt each other's reasoning. Below `/azure` and `/bedrock` each decrypts its own, as on clouds
 * that serve them.
 */
function readsOf({ path }: SimulatedRequest, model: ModelInfo): History['reads'] {
  if (model.known && readResponsesTraits(model).efforts.length === 0) return 'nobody';
  return /^\/(azure|bedrock)\//.test(path) ? 'own' : 'vendor';
}

/** Everything that the model would read, or null if the request continues an unknown response. */
function historyOf(body: Json, reads: History['reads'], world: World): History | null {
  const input = itemsOf(body['input']).map((item) => resolved(item, world));
  const base = { model: text(body['model']), stores: body['store'] !== false, reads };
  const previous = text(body['previous_response_id']);
  if (previous === '') return { ...base, items: input, held: 0 };
  const given = recallResponse(world, previous);
  if (given === null || !given.stored) return null;
  return { ...base, items: [...given.context, ...input], held: given.context.length };
}

/** A reference to a stored item stands for the item. */
function resolved(item: Json, world: World): Json {
  if (kindOf(item) !== 'item_reference') return item;
  const given = recallItem(world, text(item['id']));
  return given?.stored === true ? given.item : item;
}

function unknownPrevious(body: Json): HistoryFinding {
  return {
    rule: 'SIM-OAR-PREVIOUS',
    status: 400,
    message: `Previous response with id '${text(body['previous_response_id'])}' not found.`,
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  };
}

/** The reason why the request is refused, or null. What is only lost is noted, and the request goes on. */
function judge(
  body: Json,
  model: ModelInfo,
  deployment: Deployment,
  history: History,
  world: World,
): HistoryFinding | null {
  // The simulator's own verdict comes first: the shared rules, which the builder obeys too, cannot override it.
  const { expired = false } = scriptFor(body, model, history);
  const own =
    judgeParameters(body, history.items, expired, world) ?? judgeFiles(body, world) ?? judgeHistory(history, world);
  if (own !== null) return own;
  const context = { ...responsesRuleContext(model, deployment), issued: issuedFacts(world, itemsOf(body['input'])) };
  const shared = responsesRules.flatMap(({ id, kind, check }) =>
    check(body, context).map((finding) => ({ ...finding, rule: id, kind })),
  );
  const broken = shared.find(({ kind }) => kind === 'rejection');
  if (broken !== undefined) {
    const { rule, status, message, path, errorCode = null } = broken;
    // The API reports a problem with a whole item as one with the input.
    return { rule, status, message, param: /^input\[\d+\]$/.test(path) ? 'input' : path, code: errorCode };
  }
  for (const { rule, message } of shared) world.note({ kind: 'silent_drop', rule, detail: message });
  for (const loss of lossesOf(history, world)) world.note({ kind: 'silent_drop', rule: 'SIM-OAR-LOST', ...loss });
  return null;
}

function reply(body: Json, model: ModelInfo, history: History, account: string, world: World): Json {
  const planned = isTriggered(history.items) ? NOTHING_SAID : planFor(body, model, history, world);
  const output = [
    ...(isTriggered(history.items) || isDue(body, history.items) ? [compactionItem(history.model, world)] : []),
    ...programOutputs(history.items, world),
    ...spoken(body, model, planned, history, world),
  ];
  const response = responseOf(body, output, {
    id: world.newId('resp_', 48),
    now: world.now(),
    planned,
    history,
    diagnostics: cacheDiagnostics(body, history, world),
    counters: inputCounters(countResponses(body, history, account, world)),
  });
  rememberResponse(world, {
    stored: history.stores,
    model: history.model,
    context: [...history.items, ...output],
    response,
  });
  return response;
}

const NOTHING_SAID: Reply = { parts: [], stop: 'end_turn' };

function scriptFor(body: Json, model: ModelInfo, history: History): Script {
  return scriptOf(promptOf(body, history.items, history.model, readResponsesTraits(model)));
}

function planFor(body: Json, model: ModelInfo, history: History, world: World): Reply {
  return world.plan(promptOf(body, history.items, history.model, readResponsesTraits(model)));
}

/** The planned reply as items. */
function spoken(body: Json, model: ModelInfo, planned: Reply, history: History, world: World): readonly Json[] {
  const traits = readResponsesTraits(model);
  const reasoning = isPlainObject(body['reasoning']) ? body['reasoning'] : {};
  const tools = new Map(offeredTools(body, history.items).map((tool) => [tool.name, tool]));
  const called = planned.parts.flatMap((part) => (part.type === 'tool_call' ? (tools.get(part.name) ?? []) : []));
  return outputOf(
    planned,
    {
      model: history.model,
      summaries: traits.summaries && text(reasoning['summary']) !== '',
      phases: traits.phases,
      tools,
      hosted:
        planned.stop === 'refusal' ? [] : hostedItems(body, history.items, scriptFor(body, model, history), world),
      searched: toolSearch(body, called, history.items, world),
      program: hasTool(body, 'programmatic_tool_calling') ? programFor(planned, tools, history.model, world) : null,
    },
    world,
  );
}
