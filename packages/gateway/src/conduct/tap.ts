import type { StreamError } from '@bough/core';
import type { RecordedEnd, RecordedReply, RecordedTurn } from '@bough/engine';
import type { Provider, ReplyListener, StreamOutcome } from '@bough/providers';
import { createRedactor, listenToReply, protocolById } from '@bough/providers';
import type { Outcome, Plan, ReplyHead, Tap } from '../pass/hook.ts';

export interface TapInput {
  readonly recorded: RecordedTurn;
  readonly provider: Provider;
  readonly model: string;
  readonly now: () => Date;
  /** Whether a client must not get what is not recorded. */
  readonly mustKeep: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The exchange as it is known with the reply; undefined: as it began. */
  readonly exchange: RecordedEnd['exchange'];
  /** Another plan after a refusal; the call that was refused is recorded by it. */
  readonly afterRefusal: (error: StreamError, end: () => RecordedEnd) => Promise<Plan | null>;
  /** What has to wait until the end is stored may begin to wait. */
  readonly onEnding: (stored: Promise<void>) => void;
  readonly onStored: (reply: RecordedReply) => void;
}

const REQUEST_IDS = ['request-id', 'x-request-id', 'x-goog-request-id', 'x-amzn-requestid', 'cf-ray'];
/** A store that needs longer for a piece is away: the client waits no more for it. */
const PATIENCE_MS = 5_000;

/** Listens to a reply for its record, and lets the client have what is kept. */
export function createTap({ afterRefusal: onRefusal, ...input }: TapInput): Tap {
  const { recorded, provider, model, mustKeep } = input;
  // It holds the request, which may have megabytes: let go as soon as the provider has taken that.
  let afterRefusal: TapInput['afterRefusal'] | null = onRefusal;
  let listener: ReplyListener | null = null;
  let refusal: StreamError | null = null;
  let providerRequestId: string | null = null;
  let expected = Number.POSITIVE_INFINITY;
  let isAway = false;
  let finishing: Promise<void> | null = null;
  /** The plan that came instead has the turn now. */
  let isReplaced = false;

  const listen = (contentType: string): ReplyListener =>
    listenToReply({
      protocol: protocolById(provider.deployment.protocol),
      issuer: provider.issuer(model),
      contentType,
      redact: createRedactor([]),
      now: () => input.now().toISOString(),
    });
  const endOf = (heard: ReplyListener): RecordedEnd => ({
    raw: heard.raw,
    providerRequestId,
    exchange: input.exchange,
  });

  /** A store that fails holds nobody up; what could not be written now may still be stored at the end. */
  const kept = async (work: Promise<void>): Promise<void> => {
    if (mustKeep) return work;
    const settled = work.catch(() => {
      isAway = true;
    });
    if (!isAway) await withinPatience(settled, () => (isAway = true));
  };

  /** Stored with the end, which is waited for instead and tells of a failure. */
  const writeLast = (...last: Parameters<RecordedTurn['write']>): void => {
    recorded.write(...last).catch(() => undefined);
  };

  const finish = (outcome: StreamOutcome): Promise<void> => {
    finishing ??= (async () => {
      const heard = (listener ??= listen(''));
      for (const { text, events } of heard.end(outcome)) writeLast(text, events);
      input.onStored(await recorded.end(endOf(heard)));
    })();
    input.onEnding(finishing);
    // Whoever ends the tap hears of a failure.
    finishing.catch(() => undefined);
    return finishing;
  };

  return {
    signal: recorded.signal,
    headers: input.headers,
    head: async ({ status, headers, refusal: body }: ReplyHead) => {
      providerRequestId =
        REQUEST_IDS.map((name) => headers[name])
          .find((id) => id !== undefined)
          ?.slice(0, 200) ?? null;
      if (body !== null) {
        const text = new TextDecoder().decode(body);
        refusal = protocolById(provider.deployment.protocol).readError(status, text);
        const heard = listen('');
        const plan =
          (await afterRefusal?.(refusal, () => {
            for (const { text: last, events } of heard.end({ type: 'failed', error: refusal as StreamError }))
              writeLast(last, events);
            return endOf(heard);
          })) ?? null;
        afterRefusal = null;
        isReplaced = plan !== null;
        return plan;
      }
      afterRefusal = null;
      listener = listen(headers['content-type'] ?? '');
      const length = Number(headers['content-length'] ?? '');
      if (length > 0) expected = length;
      return null;
    },
    piece: async (bytes) => {
      if (listener === null || finishing !== null) return;
      const batch = listener.take(bytes);
      expected -= bytes.length;
      const isLast = listener.stopped() || expected <= 0;
      if (batch !== null && isLast) writeLast(batch.text, batch.events);
      else if (batch !== null) await kept(recorded.write(batch.text, batch.events));
      // Whoever sees the end of a reply finds it stored: its next request may arrive before this connection is closed.
      if (isLast) await kept(finish({ type: 'closed' }));
    },
    end: async (outcome) => {
      if (isReplaced) return input.onEnding(Promise.resolve());
      const stored = finish(outcomeOf(outcome, refusal));
      if (mustKeep) return stored;
      let isLate = false;
      await withinPatience(stored, () => (isLate = true));
      if (isLate) throw new Error('The store did not take the reply in time.');
    },
  };
}

/**
 * A tap that is still being made while its request is under way: what the client said is stored while the provider
 * thinks. The client sees nothing of the reply before that.
 */
export function lateTap(making: Promise<Tap>): Tap {
  const stop = new AbortController();
  let made: Tap | null = null;
  let isLost = false;
  const ready = async (): Promise<void> => {
    made = await making;
    const { signal } = made;
    if (signal?.aborted === true) stop.abort();
    signal?.addEventListener('abort', () => stop.abort(), { once: true });
  };
  // A failure is told by whatever comes next.
  ready().catch(() => undefined);
  return {
    signal: stop.signal,
    get headers() {
      return made?.headers ?? {};
    },
    head: async (head) => {
      try {
        return (await (await making).head?.(head)) ?? null;
      } catch (error) {
        isLost = true;
        throw error;
      }
    },
    piece: async (bytes) => (await making).piece(bytes),
    // What was told once is not told again.
    end: async (outcome) => {
      if (!isLost || made !== null) await (await making).end(outcome);
    },
  };
}

function outcomeOf(outcome: Outcome, refusal: StreamError | null): StreamOutcome {
  if (refusal !== null) return { type: 'failed', error: refusal };
  switch (outcome.type) {
    case 'complete':
      return { type: 'closed' };
    case 'failed':
      return outcome;
    case 'left':
    case 'stopped':
    case 'replaced':
    case 'lost':
      return { type: 'aborted' };
  }
}

export async function withinPatience(work: Promise<void>, onLate: () => void): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      onLate();
      resolve();
    }, PATIENCE_MS);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
