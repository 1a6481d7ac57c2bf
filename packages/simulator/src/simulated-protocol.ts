import type { Reply } from './reply.ts';
import type { World } from './world.ts';

/** A request as the simulator received it. `path` has no query; `body` is parsed JSON, or null for GET. */
export interface SimulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  /** What a multipart body holds; null where it is broken, absent where the body is of another kind. */
  readonly form?: SentForm | null;
}

/** A form with a file in it. Of the file, the simulator only keeps what it is. */
export interface SentForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: {
    readonly name: string;
    readonly mediaType: string;
    readonly size: number;
    readonly hash: string;
  } | null;
}

/** What goes back: a whole body, or the frames of an event stream, each one complete (`event: …\ndata: …\n\n`). */
export type Answer =
  | {
      readonly type: 'body';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | {
      readonly type: 'stream';
      readonly headers?: Readonly<Record<string, string>>;
      readonly frames: readonly string[];
    };

/**
 * One protocol of the simulator: checks the request as strictly as the provider does, then answers with the planned
 * reply.
 */
export interface SimulatedProtocol {
  /** True for the requests that this protocol handles. */
  readonly accepts: (request: SimulatedRequest) => boolean;
  /** The simulated model that the request names, or null if it names none. */
  readonly modelOf: (request: SimulatedRequest) => string | null;
  readonly answer: (request: SimulatedRequest, world: World) => Answer;
  /** The error event that this provider sends in the middle of a stream. */
  readonly errorFrame: (kind: 'overloaded' | 'server') => string;
  /** The HTTP error of this provider, in its envelope. */
  readonly errorAnswer: (status: number, message: string) => Answer;
}

export type { Reply };
