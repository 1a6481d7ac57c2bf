import { setTimeout as sleep } from 'node:timers/promises';
import type { Store, StoreSignal } from '../../store.ts';
import type { Database } from '../connection/pool.ts';
import { missedSignals } from './missed.ts';
import { openPolling } from './poll.ts';
import { gatherSignals } from './publish.ts';
import type { Session } from './session.ts';
import { openListening } from './session.ts';
import { readSignal } from './signal.ts';

interface Signals extends Pick<Store, 'publish' | 'subscribe'> {
  /** Publishes what is still waiting, then stops listening. */
  readonly close: () => Promise<void>;
}

const RETRY_MS = 200;

/**
 * Listens on a connection of its own, or polls where none can listen. That begins before anybody can subscribe, so that
 * no signal after a `subscribe` is missed. A lost connection is replaced; what may have been signalled meanwhile is
 * then reconstructed from what is stored.
 */
export async function openSignals(database: Database): Promise<Signals> {
  const listeners = new Set<(signal: StoreSignal) => void>();
  const outgoing = gatherSignals(database);
  const closing = new AbortController();

  const tell = (signal: StoreSignal): void => {
    for (const listener of listeners) {
      try {
        listener(signal);
      } catch (error) {
        // One listener's error must not affect the others, nor vanish.
        process.emitWarning(error instanceof Error ? error : String(error), { code: 'BOUGH_SIGNAL_LISTENER' });
      }
    }
  };

  const hear = (payload: string): void => {
    const signal = readSignal(payload);
    if (signal !== null) tell(signal);
  };
  const open = (): Promise<Session> =>
    database.listening === null
      ? openPolling(database, hear)
      : openListening(database.listening, database.schema, hear);

  const restore = async (): Promise<Session | null> => {
    while (!closing.signal.aborted) {
      try {
        const session = await open();
        for (const signal of await missedSignals(database)) tell(signal);
        return session;
      } catch {
        // The server is still away. Writers are told the reason; listening only has to resume.
        await sleep(RETRY_MS);
      }
    }
    return null;
  };

  let session: Session | null = await open();
  const keepListening = (async () => {
    while (session !== null) {
      await session.ended;
      session = await restore();
      // Closed while the connection was being made: nobody else would end it.
      if (closing.signal.aborted) await session?.end();
    }
  })();

  return {
    publish: (signal) => outgoing.give(signal),
    subscribe: (listener) => {
      // Wrapped, so that a function subscribed twice can be removed once.
      const entry = (signal: StoreSignal): void => listener(signal);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    close: async () => {
      await outgoing.settled();
      closing.abort();
      await session?.end();
      await keepListening;
    },
  };
}
