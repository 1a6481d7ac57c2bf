import { compactJson } from './json-text.ts';

const LENGTH = 80;

/** The arguments of a call on one line: enough to distinguish calls of the same tool. */
export function briefly(parameters: Readonly<Record<string, unknown>>): string {
  const values = Object.values(parameters).map((value) => (typeof value === 'string' ? value : compactJson(value)));
  const text = values.join(', ');
  return text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text;
}
