import type { RawResponse, StreamError, StreamEvent } from '@bough/core';
import type { Provider, ReplyBatch } from '@bough/providers';
import type { ClientBody } from '../dialect.ts';
import { refusalAnswer } from '../dialects/errors.ts';
import { failureOf } from '../dialects/failure.ts';
import { objectOf } from '../dialects/json.ts';
import type { ReplyWriter } from '../dialects/write.ts';
import { createWriter } from '../dialects/write.ts';
import type { AnswerPlan, Arrival } from '../pass/hook.ts';
import type { ToolNames } from './names.ts';
import type { RoutedCall } from './prepare.ts';

/** Who keeps a reply while it comes. */
export interface Keeper {
  /** Stops the call: somebody interrupts it. */
  readonly signal?: AbortSignal | undefined;
  /** Resolves once what arrived is durable: the client gets it after that. */
  readonly write: (text: string, events: readonly StreamEvent[]) => Promise<void>;
  /** Exactly once, before the client gets the end of the reply. */
  readonly end: (end: ReplyEnd) => Promise<void>;
}

export interface ReplyEnd {
  readonly raw: () => RawResponse;
  readonly providerRequestId: string | null;
}

export interface AnswerInput {
  readonly arrival: Pick<Arrival, 'path' | 'signal'>;
  readonly body: ClientBody;
  readonly names: ToolNames;
  readonly provider: Provider;
  readonly call: RoutedCall;
  /** What no other reply has. */
  readonly id: string;
  readonly token: string | null;
  readonly now: () => Date;
  /** Null: nothing is recorded. */
  readonly keeper: Keeper | null;
  /** Whether the client must not get what could not be kept. */
  readonly mustKeep?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Sends the request and answers in the client's protocol. A failure before the first byte has a status of its own; one
 * after it is an event.
 */
export async function answerRoute(input: AnswerInput): Promise<AnswerPlan> {
  const { body, headers = {} } = input;
  const reply = new RoutedReply(input);
  if (!body.stream) {
    await reply.toEnd();
    return reply.failure === null
      ? json(reply.body(), headers)
      : refused(body, reply.failure, headers, await reply.retryAfterSeconds());
  }
  const first = await reply.next();
  if (reply.failure !== null && !reply.hasContent) {
    await reply.leave();
    return refused(body, reply.failure, headers, await reply.retryAfterSeconds());
  }
  return {
    type: 'answer',
    status: 200,
    headers: { 'content-type': contentType(input), 'cache-control': 'no-cache', ...headers },
    body: rest(reply, first ?? ''),
  };
}

/** Not a generator: one that is left before its first step would never learn of it. */
function rest(reply: RoutedReply, first: string): AsyncIterable<Uint8Array> {
  let waiting: string | null = first;
  const leave = async (): Promise<{ readonly done: true; readonly value: undefined }> => {
    await reply.leave();
    return { done: true, value: undefined };
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const text = waiting ?? (await reply.next());
        waiting = null;
        return text === null ? leave() : { done: false, value: Buffer.from(text) };
      },
      // The client walked away: what came is kept.
      return: leave,
    }),
  };
}

function json(value: unknown, headers: Readonly<Record<string, string>>): AnswerPlan {
  const body = Buffer.from(JSON.stringify(value));
  return { type: 'answer', status: 200, headers: { 'content-type': 'application/json', ...headers }, body };
}

function refused(
  { protocol }: ClientBody,
  error: StreamError,
  headers: Readonly<Record<string, string>>,
  retryAfterSeconds: number | undefined,
): AnswerPlan {
  const answer = refusalAnswer(protocol, { ...failureOf(error), retryAfterSeconds });
  return { type: 'answer', ...answer, headers: { ...answer.headers, ...headers } };
}

const isArray = ({ body, arrival }: AnswerInput): boolean =>
  body.protocol === 'gemini' && !/[?&]alt=sse\b/.test(arrival.path);

const contentType = (input: AnswerInput): string =>
  isArray(input) ? 'application/json; charset=UTF-8' : 'text/event-stream; charset=utf-8';

const NOT_KEPT: StreamError = {
  code: 'server',
  message: 'The reply could not be stored, so it ends here. Try again when the store is back.',
  retryable: true,
};

/** A reply of the provider on its way to a client of another protocol. */
class RoutedReply {
  failure: StreamError | null = null;
  /** Whether the client has been shown anything of the reply itself. */
  hasContent = false;
  readonly #input: AnswerInput;
  readonly #writer: ReplyWriter;
  readonly #abort = new AbortController();
  readonly #reply: ReturnType<Provider['send']>;
  readonly #batches: AsyncIterator<ReplyBatch>;
  #isOver = false;
  /** What nobody has asked for yet, once it is read without being asked for. */
  #rest: Promise<string> | null = null;
  #ending: Promise<void> | null = null;

  constructor(input: AnswerInput) {
    const { arrival, body, call, id, keeper, names, now, provider, token } = input;
    this.#input = input;
    this.#writer = createWriter(body.protocol, {
      id,
      model: body.model,
      created: Math.floor(now().getTime() / 1_000),
      inputTokens: call.prepared.context.estimatedTokens,
      token,
      toolOf: names.toolOf,
      includeUsage: asksForUsage(body),
      asArray: isArray(input),
    });
    // Not `AbortSignal.any`: with Node 20, what it returns may be collected while somebody listens to it.
    const stop = (): void => void this.leave();
    for (const signal of [arrival.signal, keeper?.signal]) signal?.addEventListener('abort', stop, { once: true });
    if (arrival.signal.aborted || keeper?.signal?.aborted === true) this.#abort.abort();
    const { readBlob } = call;
    this.#reply = provider.send(call.prepared.request, { signal: this.#abort.signal, readBlob, forClient: true });
    this.#batches = this.#reply.batches[Symbol.asyncIterator]();
  }

  /** The next text for the client, when there is one; null after the end. */
  async next(): Promise<string | null> {
    while (!this.#isOver && this.#rest === null) {
      const text = await this.#read();
      if (text !== '') return text;
    }
    const rest = (await this.#rest) ?? '';
    this.#rest = NOTHING;
    return rest === '' ? null : rest;
  }

  async toEnd(): Promise<void> {
    while ((await this.next()) !== null);
    await this.leave();
  }

  /** The call ends now. What still arrives of it is kept. */
  async leave(): Promise<void> {
    this.#abort.abort();
    await this.#drain();
  }

  /**
   * Reads to the end without being asked to: what is stopped must come to an end, also if its client waits for nothing
   * more. What is left is there for a client that does.
   */
  async #drain(): Promise<void> {
    this.#rest ??= (async () => {
      let text = '';
      while (!this.#isOver) text += await this.#read();
      return text;
    })();
    await this.#rest;
    await this.#end();
  }

  /** What the next batch is to the client. */
  async #read(): Promise<string> {
    const { done, value } = await this.#batches.next();
    if (done !== true) return this.#take(value);
    this.#isOver = true;
    await this.#end();
    return '';
  }

  body(): unknown {
    return this.#writer.body();
  }

  /** How long the provider asks to wait; undefined if it does not say. */
  async retryAfterSeconds(): Promise<number | undefined> {
    const { retryAfterMs } = await this.#reply.head;
    return retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1_000);
  }

  async #take(batch: ReplyBatch): Promise<string> {
    const isKept = await this.#keep(batch);
    const events = isKept ? batch.events : [NOT_KEPT_EVENT, STOPPED];
    let text = '';
    for (const event of events) {
      if (event.type === 'error' && event.error.code !== 'aborted') this.failure = event.error;
      const written = this.#writer.push(event);
      if (written !== '' && event.type !== 'stop') this.hasContent = true;
      text += written;
      if (event.type === 'stop') {
        // A client asks on as soon as it has read the last word: by then everything is stored.
        await this.#end();
        this.#isOver = true;
      }
    }
    return text;
  }

  async #keep({ text, events }: ReplyBatch): Promise<boolean> {
    try {
      await this.#input.keeper?.write(text, events);
      return true;
    } catch {
      // Whoever keeps it counts what is lost; the client is not punished, unless that is wanted.
      return this.#input.mustKeep !== true;
    }
  }

  #end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    const { providerRequestId } = await this.#reply.head;
    await this.#input.keeper?.end({ raw: this.#reply.raw, providerRequestId }).catch(() => undefined);
  }
}

const NOTHING = Promise.resolve('');

const NOT_KEPT_EVENT: StreamEvent = { type: 'error', error: NOT_KEPT };
const STOPPED: StreamEvent = { type: 'stop', reason: 'error' };

function asksForUsage({ protocol, json }: ClientBody): boolean {
  return protocol === 'openai-chat' && objectOf(json()['stream_options'])?.['include_usage'] === true;
}
