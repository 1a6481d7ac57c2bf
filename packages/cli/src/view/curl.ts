import type { ContextView } from '@bough/api';
import { BUILT_IN_DEPLOYMENTS } from '@bough/providers';

/** A command that sends the same bytes. The key is a variable of the reader's own shell: it never leaves the server. */
export function curlOf(request: ContextView['request'], provider: string): string {
  const lines = [
    `curl ${quoted(request.url)}`,
    `-X ${request.method}`,
    ...Object.entries(request.headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...Object.entries(keyHeaders(request, provider)).map(([name, value]) => `-H "${name}: ${value}"`),
    `--data-binary ${quoted(request.body)}`,
  ];
  return `${lines.join(' \\\n  ')}\n`;
}

function keyHeaders(request: ContextView['request'], provider: string): Readonly<Record<string, string>> {
  if (provider.startsWith('simulated')) return {};
  const deployment = BUILT_IN_DEPLOYMENTS.find(({ id }) => id === provider);
  if (deployment === undefined) return { authorization: 'Bearer $API_KEY' };
  return deployment.keyOptional ? {} : deployment.authorize(`$${deployment.keyEnv[0] ?? 'API_KEY'}`, request);
}

/** For a POSIX shell: nothing inside single quotes is read, and a single quote ends them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
