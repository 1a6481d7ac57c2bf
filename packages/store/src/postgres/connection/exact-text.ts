/**
 * PostgreSQL's `text` holds every string but two kinds: those with U+0000, which it rejects, and those with half of a
 * surrogate pair, which UTF-8 cannot express and Node silently replaces. Such strings do occur (a stream cut inside an
 * emoji, a tool that prints binary). They are stored escaped; all others unchanged, so that they stay readable and
 * searchable.
 */
/** What an escaped string begins with. */
export const ESCAPE = '\u0001';
// With the `u` flag a whole pair is one character: only halves match as surrogates.
const TO_ESCAPE = new RegExp(String.raw`[\0${ESCAPE}\p{Surrogate}]`, 'gu');
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g');

export function toStorable(text: string): string {
  if (!text.startsWith(ESCAPE) && isStorable(text)) return text;
  return ESCAPE + text.replace(TO_ESCAPE, (unit) => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function fromStorable(stored: string): string {
  if (!stored.startsWith(ESCAPE)) return stored;
  return stored.slice(1).replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** For the parameters of a statement: strings, alone and in arrays. */
export function storableParameter(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value);
  if (Array.isArray(value)) return value.map(storableParameter);
  return value;
}

/** For JSON that the database made from rows: the strings in it are in stored form. */
export function parseStoredJson(text: string): unknown {
  if (!text.includes(String.raw`\u0001`)) return JSON.parse(text);
  return JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? fromStorable(value) : value));
}
