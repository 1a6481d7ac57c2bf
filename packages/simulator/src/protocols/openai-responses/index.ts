import { isPlainObject, UnknownIdError } from '@bough/core';
import type { Deployment, ModelInfo } from '@bough/providers';
import { readResponsesTraits, responsesRuleContext, responsesRules, simulatedDeployments } from '@bough/providers';
import { jsonAnswer } from '../../deliver/send.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import type { World } from '../../world.ts';
import { errorAnswer, errorFrame, refuse } from './errors.ts';
import { framesOf } from './events.ts';
import type { History, HistoryFinding } from './history.ts';
import { judgeHistory, lossesOf } from './history.ts';
import { issuedFacts, recallItem, recallResponse, rememberResponse } from './memory.ts';
import { outputOf } from './output.ts';
import { promptOf } from './prompt.ts';
import { responseOf } from './response.ts';
import type { Json } from './wire.ts';
import { itemsOf, kindOf, strings, text } from './wire.ts';

/** The Responses half of the simulator: creating a response, streamed or not, and reading a stored one. */
export const responsesProtocol: SimulatedProtocol = {
  accepts: ({ method, path }) =>
    (method === 'POST' && /\/responses\/?$/.test(path)) || (method === 'GET' && /\/responses\/[^/]+$/.test(path)),
  modelOf: ({ body }) => (isPlainObject(body) ? text(body['model']) || null : null),
  answer: (request, world) => (request.method === 'GET' ? retrieve(request, world) : create(request, world)),
  errorFrame,
  errorAnswer,
};

/** What the simulator plays here: its own models, then OpenAI's, so that a client may ask for a real one by name. */
function playedDeployment(): Deployment {
  const played = simulatedDeployments('http://127.0.0.1').find(({ protocol }) => protocol === 'openai-responses');
  if (played === undefined) throw new UnknownIdError('simulated deployment', 'openai-responses');
  return played;
}

function retrieve({ path }: SimulatedRequest, world: World): Answer {
  const id = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  const given = recallResponse(world, id);
  if (given === null || !given.stored) {
    return refuse({ status: 404, message: `Response with id '${id}' not found.`, param: null, code: null });
  }
  return jsonAnswer(200, given.response);
}

function create(request: SimulatedRequest, world: World): Answer {
  const body: Json = isPlainObject(request.body) ? request.body : {};
  const deployment = playedDeployment();
  const model = deployment.modelInfo(text(body['model']));
  const history = historyOf(body, readsOf(request, model), world);
  if (history === null) return refuseAloud(unknownPrevious(body), world);
  const finding = judge(body, model, deployment, history, world);
  if (finding !== null) return refuseAloud(finding, world);
  world.note({ kind: 'accepted', detail: `${history.items.length} items` });
  const response = reply(body, model, history, world);
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
  const own = judgeHistory(history, world);
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

function reply(body: Json, model: ModelInfo, history: History, world: World): Json {
  const traits = readResponsesTraits(model);
  const planned = world.plan(promptOf(body, history.items, history.model, traits));
  const reasoning = isPlainObject(body['reasoning']) ? body['reasoning'] : {};
  const output = outputOf(
    planned,
    {
      model: history.model,
      summaries: traits.summaries && text(reasoning['summary']) !== '',
      encrypted: strings(body['include']).includes('reasoning.encrypted_content'),
      phases: traits.phases,
    },
    world,
  );
  const response = responseOf(body, output, { id: world.newId('resp_', 48), now: world.now(), planned, history });
  rememberResponse(world, {
    stored: history.stores,
    model: history.model,
    context: [...history.items, ...output],
    response,
  });
  return response;
}
