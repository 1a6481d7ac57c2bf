import { isPlainObject } from '@bough/core';

/** What becomes known about a request's connection. With a fetch other than Node's own, nothing does. */
export interface ConnectionWatcher {
  /** The request is waiting for a connection. */
  readonly onWaiting: () => void;
  /** The connection is established; the request is being written. */
  readonly onConnected: () => void;
}

// fetch does not report when its connection is established, so a dead host and a slow model would look alike. Node's
// fetch publishes it on diagnostics channels, for every request of the process. Ours is the one created while `run` is
// being called: fetch creates its request before it returns. (An async context would find it too, but once a process
// has one, every promise in it pays for that.)
let current: ConnectionWatcher | null = null;
const watchers = new WeakMap<object, ConnectionWatcher>();
let subscribed = false;

export function watchConnection<T>(watcher: ConnectionWatcher, run: () => Promise<T>): Promise<T> {
  if (!subscribed) {
    subscribed = true;
    const channels = diagnosticsChannels();
    channels?.subscribe('undici:request:create', onRequestCreated);
    channels?.subscribe('undici:client:sendHeaders', onHeadersSent);
  }
  current = watcher;
  try {
    return run();
  } finally {
    current = null;
  }
}

interface DiagnosticsChannels {
  readonly subscribe: (name: string, listener: (message: unknown) => void) => void;
}

/**
 * Asked for at run time: an import of `node:diagnostics_channel` would keep everything that sends requests out of
 * browsers and edge runtimes. Null there.
 */
function diagnosticsChannels(): DiagnosticsChannels | null {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (id: 'node:diagnostics_channel') => DiagnosticsChannels };
  };
  return process?.getBuiltinModule?.('node:diagnostics_channel') ?? null;
}

function onRequestCreated(message: unknown): void {
  const request = requestOf(message);
  if (current === null || request === null) return;
  watchers.set(request, current);
  current.onWaiting();
}

function onHeadersSent(message: unknown): void {
  const request = requestOf(message);
  if (request !== null) watchers.get(request)?.onConnected();
}

function requestOf(message: unknown): object | null {
  const request = isPlainObject(message) ? message['request'] : null;
  return typeof request === 'object' ? request : null;
}
