import type { LogEntry } from '../../store.ts';
import { fieldsOf, parseJson } from './fields.ts';

// The log of a turn: one line per entry, so appending is writing at the end.

export function logText(entries: readonly LogEntry[]): string {
  return entries.map(({ seq, data }) => `${JSON.stringify({ seq, data })}\n`).join('');
}

export function parseLog(path: string, text: string): LogEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      const fields = fieldsOf(path, parseJson(path, line), `line ${index + 1}`);
      return { seq: fields.number('seq'), data: fields.text('data') };
    });
}
