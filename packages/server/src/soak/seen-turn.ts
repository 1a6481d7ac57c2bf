import type { StreamLine } from '@bough/core';
import { stableDeepEqual } from '@bough/core';
import type { Member } from './member.ts';

/** How a turn was requested. */
export interface TurnRequest {
  readonly projectId: string;
  readonly clientRequestId: string;
  /** The text of the message, which is unique; null where a reply is made again. */
  readonly message: string | null;
}

type Done = Extract<StreamLine, { type: 'done' }>;

/** What the people watching a turn have seen of it, over all of their connections. */
export class SeenTurn {
  readonly request: TurnRequest;
  turnId: string | null = null;
  /** A 2xx came: what was requested is promised. */
  acknowledged = false;
  /** The code of a final refusal. */
  refused: string | null = null;
  /** Somebody wanted it to stop, or its owner was hit: it may end as interrupted. */
  mayBreakOff = false;
  /** The servers that were asked to begin or continue it: one of them runs it. */
  readonly askedOf = new Set<Member>();
  connections = 0;
  doneAt: number | null = null;
  readonly #lines: StreamLine[] = [];
  readonly #problems: string[] = [];

  constructor(request: TurnRequest) {
    this.request = request;
  }

  get lines(): readonly StreamLine[] {
    return this.#lines;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  get seen(): number {
    return this.#lines.length;
  }

  get done(): Done | null {
    const last = this.#lines.at(-1);
    return last?.type === 'done' ? last : null;
  }

  /** Reads the lines of one connection; the returned function says whether a line is new. */
  reader(after: number): (line: StreamLine) => boolean {
    let last = after;
    this.connections += 1;
    return (line) => {
      if (line.seq !== last + 1) this.#problems.push(`line ${line.seq} (${line.type}) came after line ${last}`);
      last = line.seq;
      const known = this.#lines[line.seq - 1];
      if (known !== undefined) {
        if (!stableDeepEqual(known, line))
          this.#problems.push(`line ${line.seq} was ${JSON.stringify(known)} and then ${JSON.stringify(line)}`);
        return false;
      }
      if (this.done !== null) this.#problems.push(`line ${line.seq} (${line.type}) came after the end`);
      this.#lines.push(line);
      if (line.type === 'turn') this.turnId = line.turnId;
      if (line.type === 'done') this.doneAt = performance.now();
      return true;
    };
  }
}
