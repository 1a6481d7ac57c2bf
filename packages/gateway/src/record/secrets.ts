import type { Span } from '../dialects/scan.ts';
import { elementSpans, memberSpans } from '../dialects/scan.ts';

/** Bodies hold secrets only where they tell a provider how to reach a server with tools. */
const MAY_HOLD = /"(?:authorization_token|authorization|headers)"\s*:/;
const HIDDEN = '"[secret]"';

/**
 * A body as it may be stored. What a client gave for the servers with tools that the provider calls itself is left out:
 * a secret that lies in the tree is in every export of it. This is the one thing in which a stored body differs from
 * what came.
 */
export function withoutSecrets(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  const body = memberSpans(text);
  const secrets = ['mcp_servers', 'tools'].flatMap((list) => {
    const span = body?.get(list);
    const servers = span === undefined ? null : elementSpans(text, span.from);
    return (servers ?? []).flatMap((server) => secretsOf(text, server));
  });
  let kept = '';
  let from = 0;
  for (const secret of secrets.toSorted((a, b) => a.from - b.from)) {
    kept += text.slice(from, secret.from) + HIDDEN;
    from = secret.to;
  }
  return kept + text.slice(from);
}

function secretsOf(text: string, server: Span): readonly Span[] {
  const members = memberSpans(text, server.from);
  const headers = members?.get('headers');
  const all = [
    members?.get('authorization_token'),
    members?.get('authorization'),
    ...(headers === undefined ? [] : (memberSpans(text, headers.from)?.values() ?? [])),
  ];
  return all.filter((span) => span !== undefined && text[span.from] === '"').map((span) => span as Span);
}
