import type { LineBody, StreamEvent } from '@bough/core';
import { LineWriter } from '@bough/core';

/**
 * The lines of one batch. Deltas that arrived together and belong to one block leave as one line: a client sees the same
 * characters at the same moment, for a fraction of the work.
 */
export class BatchLines {
  readonly #writer = new LineWriter();

  write(events: readonly StreamEvent[]): readonly LineBody[] {
    const lines: LineBody[] = [];
    for (const event of events) {
      const line = this.#writer.write(event);
      if (line === null) continue;
      const joined = join(lines.at(-1), line);
      if (joined === null) lines.push(line);
      else lines[lines.length - 1] = joined;
    }
    return lines;
  }
}

function join(last: LineBody | undefined, line: LineBody): LineBody | null {
  if (last === undefined || !('content' in last) || !('append' in line) || last.type !== line.type) return null;
  return { ...last, content: last.content + line.content };
}
