import type { ContextView } from '../types.ts';

/**
 * The request as a command for a POSIX shell that sends the same bytes. A key never leaves the server: `keyHeaders`
 * contains a variable of the reader's own shell instead.
 */
export function curlOf(
  { method, url, headers, body }: ContextView['request'],
  keyHeaders: Readonly<Record<string, string>>,
): string {
  const lines = [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...Object.entries(keyHeaders).map(([name, value]) => `-H "${name}: ${value}"`),
    `--data-raw ${quoted(body)}`,
  ];
  return lines.join(' \\\n  ');
}

/**
 * Nothing inside single quotes is interpreted, and only a single quote ends them: one inside is closed, escaped and
 * reopened.
 */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
