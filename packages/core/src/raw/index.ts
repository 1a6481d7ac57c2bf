import { isPlainObject } from '../blocks/index.ts';

/** The wire formats that Bough speaks. */
export type ProtocolId = 'anthropic-messages' | 'openai-responses' | 'openai-chat' | 'gemini';

/** Who produced a reply. Signatures and encrypted items are only ever returned to their issuer. */
export interface Issuer {
  /** The provider id of the branch: `anthropic`, `openai_responses`, `deepseek`, `lab`, … */
  readonly provider: string;
  /** Where it ran: the provider id plus the endpoint, so that a changed base URL is a different issuer. */
  readonly deployment: string;
  readonly model: string;
}

/** One server-sent event as it arrived; `data` is never parsed and rewritten. */
export interface RawEvent {
  readonly event?: string;
  readonly data: string;
}

/** The provider's own bytes for one call, in an envelope that says whose they are. */
export interface RawResponse extends Issuer {
  readonly api: ProtocolId;
  readonly version: 1;
  /** ISO time of the first byte. */
  readonly capturedAt: string;
  /** False when the stream broke, was aborted, or ended in an error. */
  readonly complete: boolean;
  readonly payload: RawPayload;
}

/**
 * The shape is the provider's own; the strings inside are exact.
 * A reply that was not streamed has no events and its whole body in `response`.
 */
export type RawPayload =
  /** anthropic-messages, streamed */
  | readonly RawEvent[]
  /** openai-chat, streamed: the chunks, `[DONE]` included */
  | readonly string[]
  /** openai-responses */
  | { readonly events: readonly RawEvent[]; readonly response: string | null }
  /** gemini */
  | { readonly stream: readonly string[]; readonly response: string | null }
  /** anthropic-messages and openai-chat, not streamed */
  | { readonly response: string };

/** Puts what was captured into the provider's shape. The inverse of `eventsOfRaw` and `bodyOfRaw`. */
export function rawPayload(api: ProtocolId, events: readonly RawEvent[], body: string | null = null): RawPayload {
  switch (api) {
    case 'anthropic-messages':
      return body === null ? events : { response: body };
    case 'openai-chat':
      return body === null ? events.map((event) => event.data) : { response: body };
    case 'openai-responses':
      return { events, response: body };
    case 'gemini':
      return { stream: events.map((event) => event.data), response: body };
  }
}

/** The captured events in order. Also reads the parsed objects of older data, by writing them as JSON. */
export function eventsOfRaw(raw: Pick<RawResponse, 'payload'>): readonly RawEvent[] {
  const payload: unknown = raw.payload;
  if (Array.isArray(payload)) return payload.map(toRawEvent);
  if (!isPlainObject(payload)) return [];
  const list = payload['events'] ?? payload['stream'];
  return Array.isArray(list) ? list.map(toRawEvent) : [];
}

/** The body of a reply that was not streamed, or null. */
export function bodyOfRaw(raw: Pick<RawResponse, 'payload'>): string | null {
  const payload: unknown = raw.payload;
  if (!isPlainObject(payload)) return null;
  const body = payload['response'];
  if (body === undefined || body === null) return null;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function toRawEvent(value: unknown): RawEvent {
  if (typeof value === 'string') return { data: value };
  if (isPlainObject(value) && 'data' in value) {
    const data = typeof value['data'] === 'string' ? value['data'] : JSON.stringify(value['data']);
    return typeof value['event'] === 'string' ? { event: value['event'], data } : { data };
  }
  return { data: JSON.stringify(value) };
}
