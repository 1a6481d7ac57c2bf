import type { LineBody, StreamEvent } from '@bough/core';
import { LineWriter } from '@bough/core';

type ContentLine = Extract<LineBody, { readonly append?: boolean }>;
type Growing = { -readonly [Key in keyof ContentLine]: ContentLine[Key] };

/**
 * Lines that leave together. Those that continue the last one become a part of it: a client sees the same characters at the same moment, for a fraction of
 * the work.
 */
export class LineRun {
  readonly #lines: LineBody[] = [];
  /** The last line, once it is a copy of our own. */
  #growing: Growing | null = null;

  get lines(): readonly LineBody[] {
    return this.#lines;
  }

  add(line: LineBody): void {
    const last = this.#lines.at(-1);
    if (last === undefined || !('append' in line) || !isContent(last) || last.type !== line.type) {
      this.#lines.push(line);
      this.#growing = null;
      return;
    }
    if (this.#growing === null) {
      this.#growing = { ...last };
      this.#lines[this.#lines.length - 1] = this.#growing;
    }
    this.#growing.content += line.content;
  }
}

function isContent(line: LineBody): line is ContentLine {
  return line.type === 'text' || line.type === 'thinking' || line.type === 'thinking_signature';
}

/** The lines of a reply, batch by batch. */
export class BatchLines {
  readonly #writer = new LineWriter();

  write(events: readonly StreamEvent[]): readonly LineBody[] {
    const run = new LineRun();
    for (const event of events) {
      const line = this.#writer.write(event);
      if (line !== null) run.add(line);
    }
    return run.lines;
  }
}
