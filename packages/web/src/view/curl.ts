import type { ContextView } from '@bough/api/client';

/** The request as a command for a shell. The key stays out: the shell's own `$API_KEY` goes in its place. */
export function curlOf({ method, url, headers, body }: ContextView['request'], protocol: string): string {
  const lines = [
    `curl -X ${method} ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `-H "${keyHeader(protocol)}"`,
    `--data-raw ${quote(body)}`,
  ];
  return lines.join(' \\\n  ');
}

function keyHeader(protocol: string): string {
  switch (protocol) {
    case 'anthropic-messages':
      return 'x-api-key: $API_KEY';
    case 'gemini':
      return 'x-goog-api-key: $API_KEY';
    default:
      return 'authorization: Bearer $API_KEY';
  }
}

/** Single quotes keep everything as it is; one inside is closed, escaped and opened again. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
