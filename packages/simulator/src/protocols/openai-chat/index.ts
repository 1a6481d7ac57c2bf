import { isPlainObject } from '@bough/core';
import type { ModelInfo } from '@bough/providers';
import { BUILT_IN_DEPLOYMENTS, PROTOCOLS } from '@bough/providers';
import { requestId } from '../../deliver/send.ts';
import { accountOf } from '../../prompt-cache/index.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../../simulated-protocol.ts';
import { servedModel, unlistedOf } from '../../unlisted/index.ts';
import type { World } from '../../world.ts';
import { rememberSpoken, verifyReturned } from './memory.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { Json } from './request.ts';
import { listOf, offeredTools, promptOf, textOf } from './request.ts';
import { speak } from './speech.ts';
import { bodyOf, framesOf, usageOf } from './stream.ts';
import { countChat } from './cached.ts';
import type { Vendor } from './vendors.ts';
import { vendorOf } from './vendors.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/**
 * Chat Completions, as strict as the vendor that the path names: `/deepseek/v1`, `/mistral/v1`, `/openrouter/api/v1`, …
 */
export const chatProtocol: SimulatedProtocol = {
  accepts: (request) => isCompletion(request) || isModelList(request) || isKeyPage(request),
  modelOf: (request) => (isPlainObject(request.body) ? textOf(request.body, 'model') : null),
  answer: (request, world) => {
    if (isKeyPage(request)) return bodyAnswer(200, { data: { label: 'sk-or-v1-sim', usage: 0, limit: null } });
    return isModelList(request) ? models(request) : complete(request, world);
  },
  errorFrame: (kind) => {
    const error =
      kind === 'overloaded'
        ? { message: 'The server is overloaded. Please try again later.', type: 'overloaded_error', code: 503 }
        : { message: 'The server had an error while processing your request.', type: 'server_error', code: 500 };
    return `data: ${JSON.stringify({ error })}\n\n`;
  },
  errorAnswer: (status, message) => ({
    type: 'body',
    status,
    headers: JSON_HEADERS,
    body: JSON.stringify({ error: { message, type: errorType(status), param: null, code: null } }),
  }),
};

const MODELS_PATH = /\/v1\/models(?:\/([^/]+(?:\/[^/]+)?))?$/;

const isCompletion = ({ method, path }: SimulatedRequest): boolean =>
  method === 'POST' && path.endsWith('/chat/completions');

/** https://openrouter.ai/docs/api/api-reference/api-keys/get-current-key */
const isKeyPage = ({ method, path }: SimulatedRequest): boolean =>
  method === 'GET' && path.endsWith('/openrouter/api/v1/key');

/** Anthropic and Google list their models under the same path ending, but with their own headers and paths. */
const isModelList = ({ method, path, headers }: SimulatedRequest): boolean =>
  method === 'GET' &&
  MODELS_PATH.test(path) &&
  headers['anthropic-version'] === undefined &&
  headers['x-goog-api-key'] === undefined;

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** Each vendor's own list: its models, and some that no catalogue has; or one of them by its name. */
function models({ path }: SimulatedRequest): Answer {
  const { id: vendor, deployment } = vendorOf(path);
  const about = { object: 'model', created: 0, owned_by: deployment.id };
  const listed = [...deployment.models, ...(vendor === 'openai' ? responsesModels() : [])];
  const ids = [...new Set(listed.map(({ id }) => id))];
  const data: readonly Json[] = [
    ...ids.map((id) => ({ id, ...about })),
    ...unlistedOf(vendor).map(({ id, entry }) => ({ id, ...about, ...entry })),
  ];
  const named = MODELS_PATH.exec(path)?.[1];
  if (named === undefined) return bodyAnswer(200, { object: 'list', data });
  const id = decodeURIComponent(named);
  const found = data.find((model) => model['id'] === id);
  if (found !== undefined) return bodyAnswer(200, found);
  const message = `The model '${id}' does not exist`;
  return bodyAnswer(404, {
    error: { message, type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
  });
}

function bodyAnswer(status: number, body: Json): Answer {
  return { type: 'body', status, headers: JSON_HEADERS, body: JSON.stringify(body) };
}

function complete(request: SimulatedRequest, world: World): Answer {
  const vendor = vendorOf(request.path);
  const body: Json = isPlainObject(request.body) ? request.body : {};
  const name = textOf(body, 'model');
  if (name === null) {
    return refuse(vendor, { status: 400, message: 'you must provide a model parameter', path: 'model' }, body);
  }
  const model = modelNamed(vendor, name);
  if (model === null) return refuse(vendor, noSuchModel(vendor, name, world), body);
  const refusal = judge(vendor, body, model, world);
  if (refusal !== null) return refuse(vendor, refusal, body);

  const planned = world.plan(promptOf(body, vendor, model));
  const textTools = new Set(offeredTools(body).flatMap((tool) => (tool.takesText ? [tool.name] : [])));
  const speech = {
    vendor,
    model: name,
    textTools,
    forced: vendor.id === 'openai' && isPlainObject(body['tool_choice']),
  };
  const choices = Array.from({ length: choiceCount(body) }, () => speak(planned, speech, world));
  for (const spoken of choices) rememberSpoken(world, vendor, name, spoken);
  const sent = JSON.stringify(body);
  const usage = usageOf(vendor, choices, countChat(vendor, body, accountOf(request.headers), world));
  const headers = { 'x-request-id': requestId(sent) };
  if (body['stream'] !== true) {
    const written = bodyOf(vendor, name, choices, usage, world);
    return { type: 'body', status: 200, headers: { ...JSON_HEADERS, ...headers }, body: written };
  }
  const options = body['stream_options'];
  const wantsUsage = isPlainObject(options) && options['include_usage'] === true;
  const frames = framesOf(vendor, name, choices, usage, wantsUsage, world);
  return { type: 'stream', headers: { ...STREAM_HEADERS, ...headers }, frames };
}

const MAX_CHOICES = 8;

function choiceCount({ n }: Json): number {
  return typeof n === 'number' && Number.isInteger(n) && n > 1 ? Math.min(n, MAX_CHOICES) : 1;
}

/** The vendor's rulebook, then what the simulator itself remembers. */
function judge(vendor: Vendor, body: Json, model: ModelInfo, world: World): Refusal | null {
  const { deployment } = vendor;
  const { id: name } = model;
  if (vendor.id === 'openrouter' && model.alwaysThinks && isSwitchedOff(body)) {
    const message = 'Reasoning is mandatory for this endpoint and cannot be disabled.';
    world.note({ kind: 'rejected', rule: 'reasoning_is_mandatory', detail: message });
    return { status: 400, message, path: 'reasoning' };
  }
  const violations = PROTOCOLS['openai-chat'].check(body, model, deployment);
  for (const loss of violations.filter(({ kind }) => kind === 'silent')) {
    world.note({ kind: 'silent_drop', rule: loss.rule, detail: `${loss.path}: ${loss.message}` });
  }
  const broken = violations.find(({ kind }) => kind === 'rejection');
  if (broken !== undefined) {
    world.note({ kind: 'rejected', rule: broken.rule, detail: `${broken.path}: ${broken.message}` });
    return broken;
  }
  const messages = listOf(body, 'messages');
  const changed = verifyReturned(world, vendor, name, messages);
  if (changed !== null) {
    world.note({
      kind: 'rejected',
      rule: 'not_as_it_was_sent',
      detail: `messages.${changed.index}: ${changed.problem}`,
    });
    return { status: 400, message: `messages.${changed.index}: ${changed.problem}`, path: `messages.${changed.index}` };
  }
  world.note({ kind: 'accepted', detail: `${vendor.id}: ${messages.length} messages` });
  return null;
}

function isSwitchedOff(body: Json): boolean {
  const reasoning = body['reasoning'];
  return isPlainObject(reasoning) && (reasoning['effort'] === 'none' || reasoning['enabled'] === false);
}

/** OpenAI lists the models of all its APIs in one place. */
function responsesModels(): readonly ModelInfo[] {
  return BUILT_IN_DEPLOYMENTS.find(({ id }) => id === 'openai_responses')?.models ?? [];
}

/** The model as its vendor knows it. Servers that nobody knows play whatever they are asked for. */
function modelNamed({ id, deployment, isNamed }: Vendor, name: string): ModelInfo | null {
  return servedModel(id, deployment, name) ?? (isNamed ? null : deployment.modelInfo(name));
}

function noSuchModel({ id }: Vendor, name: string, world: World): Refusal {
  const { status, message } = (MISSING[id] ?? openaiWords)(name);
  world.note({ kind: 'rejected', rule: 'no_such_model', detail: message });
  return { status, message, path: 'model' };
}

type Words = (model: string) => { readonly status: number; readonly message: string };

const openaiWords: Words = (model) => ({
  status: 404,
  message: `The model \`${model}\` does not exist or you do not have access to it.`,
});

/** How those vendors say it that do not use OpenAI's words. */
const MISSING: Readonly<Record<string, Words>> = {
  openrouter: (model) => ({ status: 400, message: `${model} is not a valid model ID` }),
  mistral: (model) => ({ status: 400, message: `Invalid model: ${model}` }),
  deepseek: () => ({ status: 400, message: 'Model Not Exist' }),
  moonshot: (model) => ({ status: 404, message: `Not found the model ${model} or Permission denied` }),
  ollama: (model) => ({ status: 404, message: `model "${model}" not found, try pulling it first` }),
};
