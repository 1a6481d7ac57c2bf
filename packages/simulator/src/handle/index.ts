import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerAdmin, isAdminPath } from '../admin/index.ts';
import { scriptOf } from '../commands/index.ts';
import { deliver } from '../deliver/index.ts';
import { jsonAnswer, send, writeHead } from '../deliver/send.ts';
import { planDelivery } from '../faults/delivery.ts';
import type { Fault, FaultOrder } from '../faults/index.ts';
import { parseFault, UnknownFaultError } from '../faults/index.ts';
import type { FaultDesk } from '../faults/orders.ts';
import type { Answer, SimulatedProtocol, SimulatedRequest } from '../simulated-protocol.ts';
import type { RequestLog } from '../log/index.ts';
import { callNumberOf } from '../plan/tool-calls.ts';
import type { JoinedQuestions } from '../plan/joined-questions.ts';
import type { Variations } from '../plan/variations.ts';
import type { Prompt } from '../reply.ts';
import type { World } from '../world.ts';
import { keyRefusal } from './keys.ts';
import { parseJson, readBody, readForm, singleHeaders } from './read.ts';

/** Everything needed to handle a request. */
export interface House {
  readonly protocols: readonly SimulatedProtocol[];
  readonly world: World;
  readonly log: RequestLog;
  readonly desk: FaultDesk;
  readonly variations: Variations;
  readonly joined: JoinedQuestions;
  readonly paceMs: number;
  /** The keys that are accepted; null if every key is. */
  readonly keys: readonly string[] | null;
}

/** Answers one request. Never rejects: a failure of the simulator itself is reported in the log and to the client. */
export async function handle(house: House, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await route(house, incoming, response);
  } catch (error) {
    fail(house, incoming, response, error);
  }
}

async function route(house: House, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const bytes = await readBody(incoming);
  if (bytes === null) return send(response, jsonAnswer(413, { error: { message: 'The request body is too large.' } }));
  const headers = singleHeaders(incoming);
  const type = headers['content-type'] ?? '';
  const isForm = type.startsWith('multipart/form-data');
  const text = isForm ? '' : bytes.toString('utf8');
  if (isAdminPath(url.pathname)) {
    return send(response, answerAdmin({ method: incoming.method ?? 'GET', path: url.pathname, body: text }, house));
  }

  const request: SimulatedRequest = {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: parseJson(text),
    ...(isForm && { form: await readForm(bytes, type) }),
  };
  const protocol = house.protocols.find((candidate) => candidate.accepts(request));
  if (protocol === undefined) {
    return send(response, jsonAnswer(404, { error: { message: `Nothing is served at ${request.path}.` } }));
  }
  const refusal = keyRefusal(house.keys, request);
  if (refusal !== null) {
    house.log.add({ kind: 'rejected', path: request.path, model: null, rule: 'key', detail: refusal.message });
    return send(response, protocol.errorAnswer(refusal.status, refusal.message));
  }
  if (text !== '' && request.body === undefined)
    return send(response, protocol.errorAnswer(400, 'The body is not JSON.'));
  await answerWith(house, protocol, request, text, response);
}

async function answerWith(
  house: House,
  protocol: SimulatedProtocol,
  request: SimulatedRequest,
  text: string,
  response: ServerResponse,
): Promise<void> {
  const model = protocol.modelOf(request);
  let prompt: Prompt | null = null;
  const answer = protocol.answer(request, {
    ...house.world,
    plan: (whole) => {
      const asked = { ...whole, userText: house.joined.newPartOf(whole.userText), sent: text };
      prompt = asked;
      return house.world.plan({ ...asked, variation: house.variations.of(asked) });
    },
    note: (entry) => house.log.add({ ...entry, path: request.path, model }),
  });
  const faults = house.desk.striking({ model, body: text, ...wishesOf(request, prompt) });
  for (const fault of faults) {
    house.log.add({ kind: 'fault', path: request.path, model, detail: JSON.stringify(fault) });
  }
  const isRefused = faults.some(({ type }) => type === 'status' || type === 'drop');
  if (prompt !== null && !isRefused) house.variations.answered(prompt);
  await sendWithFaults(response, protocol, answer, faults, house.paceMs);
}

/** The faults that the request itself asks for, in its header or message. */
function wishesOf(
  request: SimulatedRequest,
  prompt: Prompt | null,
): { readonly own: readonly FaultOrder[]; readonly call: number } {
  const header = request.headers['x-simulator-fault'];
  const fromHeader = header === undefined ? [] : header.split(',').map(parseFault);
  if (prompt === null) return { own: fromHeader, call: 1 };
  const script = scriptOf(prompt);
  return { own: [...fromHeader, ...script.faults], call: callNumberOf(prompt, script) };
}

async function sendWithFaults(
  response: ServerResponse,
  protocol: SimulatedProtocol,
  answer: Answer,
  faults: readonly Fault[],
  paceMs: number,
): Promise<void> {
  if (faults.some((fault) => fault.type === 'drop')) {
    response.destroy();
    return;
  }
  const status = faults.find((fault) => fault.type === 'status');
  if (status !== undefined) {
    const refusal = protocol.errorAnswer(status.status, `The simulator was asked to answer with ${status.status}.`);
    const retry = status.retryAfterSeconds === null ? {} : { 'retry-after': String(status.retryAfterSeconds) };
    return send(response, { ...refusal, headers: { ...refusal.headers, ...retry } });
  }
  if (answer.type === 'body' && faults.length === 0) return send(response, answer);
  const error = faults.find((fault) => fault.type === 'error');
  if (answer.type === 'body' && error !== undefined) {
    return send(
      response,
      protocol.errorAnswer(error.kind === 'overloaded' ? 529 : 500, 'The simulator was asked to fail.'),
    );
  }

  const frames = answer.type === 'stream' ? answer.frames : inPieces(answer.body);
  const paced = paceMs > 0 && answer.type === 'stream' && !faults.some((fault) => fault.type === 'pace');
  writeHead(response, answer);
  await deliver(
    response,
    planDelivery(frames, paced ? [...faults, { type: 'pace', ms: paceMs }] : faults, protocol.errorFrame),
  );
}

const PIECES = 8;

/** A whole body in pieces, so that it can be cut or stalled like a stream. */
function inPieces(body: string): readonly string[] {
  const size = Math.max(1, Math.ceil(body.length / PIECES));
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.slice(index * size, (index + 1) * size),
  );
}

/**
 * A failure of the simulator itself must never be mistaken for a verdict on the request: it says so, in the log and on
 * the wire.
 */
function fail(house: House, request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  house.log.add({ kind: 'fault', path: request.url ?? '', model: null, rule: 'simulator_failed', detail });
  if (response.headersSent) response.destroy();
  else {
    const status = error instanceof UnknownFaultError ? 400 : 500;
    send(response, jsonAnswer(status, { error: { message: `The simulator failed: ${String(error)}` } }));
  }
}
