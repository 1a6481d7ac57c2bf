import type { ProtocolId } from '@bough/core';
import type { Provider } from '@bough/providers';
import type { Refusal } from '../dialects/errors.ts';
import { refusalAnswer } from '../dialects/errors.ts';
import type { GatewayAnswer } from './request.ts';

// What the gateway itself says, in words that clients show to people.

export const NO_TOKEN: Refusal = {
  status: 401,
  message: 'This Bough asks for its token. Send it as the key, or as "x-bough-token" next to the provider\'s key.',
  retry: false,
};

export const NO_WEBSOCKET: Refusal = {
  status: 426,
  message: 'WebSockets are not spoken here. Use HTTP.',
  retry: false,
};

export const STOPPING: Refusal = { status: 503, message: 'Bough is stopping.', retry: true };

export const CLIENT_LEFT: Refusal = {
  status: 400,
  message: 'The connection was closed before the whole request had come.',
  retry: false,
};

export const UNRECORDABLE: Refusal = {
  status: 503,
  message: 'Bough cannot record this conversation at the moment, and is set to let nothing pass unrecorded.',
  retry: true,
};

export const INTERNAL: Refusal = {
  status: 500,
  message: 'Something went wrong inside Bough; the log of the server tells more.',
  retry: false,
};

export function nowhere(url: string): Refusal {
  const path = url.replace(/\?.*$/s, '').slice(0, 100);
  const message = `There is no provider at ${path}. Addresses begin with /gateway/<provider>/.`;
  return { status: 404, message, retry: false };
}

export function unknownProvider(id: string, known: readonly Provider[]): Refusal {
  const ids = known.map(({ deployment }) => deployment.id).join(', ');
  return { status: 404, message: `Bough has no provider "${id}". Known: ${ids}.`, retry: false };
}

export function wrongMethod(method: string): Refusal {
  return { status: 405, message: `${method.slice(0, 20)} is not passed on.`, retry: false };
}

export function asksItself({ deployment }: Provider): Refusal {
  const message = `The address of ${deployment.label} is this gateway itself. Set it to the vendor's own address.`;
  return { status: 400, message, retry: false };
}

export function refused(protocol: ProtocolId, refusal: Refusal): GatewayAnswer {
  const answer = refusalAnswer(protocol, refusal);
  return refusal.status === 426 ? { ...answer, headers: { ...answer.headers, upgrade: 'HTTP/1.1' } } : answer;
}
