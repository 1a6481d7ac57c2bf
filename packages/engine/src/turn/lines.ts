import type { Growth, LineBody, StreamEvent } from '@bough/core';
import { JoinedRun, LineWriter } from '@bough/core';

type ContentLine = Extract<LineBody, { readonly append?: boolean }>;

const LINES: Growth<LineBody> = {
  continues: (last, next) => 'append' in next && isContent(last) && last.type === next.type,
  textOf: (line) => (isContent(line) ? line.content : ''),
  withText: (line, content) => (isContent(line) ? { ...line, content } : line),
};

/** Lines that leave together. */
export type LineRun = JoinedRun<LineBody>;

export const newLineRun = (): LineRun => new JoinedRun(LINES);

function isContent(line: LineBody): line is ContentLine {
  return line.type === 'text' || line.type === 'thinking' || line.type === 'thinking_signature';
}

/** The lines of a reply, batch by batch. */
export class BatchLines {
  readonly #writer = new LineWriter();

  write(events: readonly StreamEvent[]): readonly LineBody[] {
    const run = newLineRun();
    for (const event of events) {
      const line = this.#writer.write(event);
      if (line !== null) run.add(line);
    }
    return run.list();
  }
}
