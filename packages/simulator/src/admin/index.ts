import { isPlainObject } from '@bough/core';
import { helpText } from '../commands/index.ts';
import { jsonAnswer } from '../deliver/send.ts';
import { parseFault, UnknownFaultError } from '../faults/index.ts';
import type { FaultDesk } from '../faults/orders.ts';
import type { Answer } from '../simulated-protocol.ts';
import type { RequestLog } from '../log/index.ts';

export interface AdminRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** The simulator's own pages, in addition to the providers'. */
export function isAdminPath(path: string): boolean {
  return path === '/' || path.startsWith('/__simulator/');
}

export function answerAdmin(
  request: AdminRequest,
  { log, desk }: { readonly log: RequestLog; readonly desk: FaultDesk },
): Answer {
  switch (`${request.method} ${request.path}`) {
    case 'GET /':
      return plainText(
        `The Bough simulator.\n\nGET /__simulator/log shows what it accepted, rejected and dropped.\n\n${helpText()}\n`,
      );
    case 'GET /__simulator/log':
      return jsonAnswer(200, { counts: countKinds(log), entries: log.entries() });
    case 'DELETE /__simulator/log':
      log.clear();
      return jsonAnswer(200, { entries: [] });
    case 'POST /__simulator/faults':
      return orderFault(request.body, desk);
    case 'DELETE /__simulator/faults':
      desk.clear();
      return jsonAnswer(200, {});
    default:
      return jsonAnswer(404, { error: { message: `There is no ${request.method} ${request.path}.` } });
  }
}

/** `{ "fault": "cut 7 x1", "model"?: "sim-thinker" }` */
function orderFault(body: string, desk: FaultDesk): Answer {
  try {
    const wish: unknown = JSON.parse(body);
    if (!isPlainObject(wish) || typeof wish['fault'] !== 'string') {
      return jsonAnswer(400, {
        error: { message: 'Write { "fault": "cut 7", "model": "sim-thinker" }; the model is optional.' },
      });
    }
    desk.order(parseFault(wish['fault']), typeof wish['model'] === 'string' ? wish['model'] : null);
    return jsonAnswer(200, {});
  } catch (error) {
    if (error instanceof UnknownFaultError || error instanceof SyntaxError) {
      return jsonAnswer(400, { error: { message: error.message } });
    }
    throw error;
  }
}

function countKinds(log: RequestLog): Readonly<Record<string, number>> {
  const counts: Record<string, number> = { accepted: 0, rejected: 0, silent_drop: 0, fault: 0 };
  for (const { kind } of log.entries()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function plainText(text: string): Answer {
  return { type: 'body', status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}
