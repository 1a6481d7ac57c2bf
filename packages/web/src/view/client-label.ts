import { CONNECTABLE } from '@bough/api/client';
import type { Translator } from '../i18n/index.ts';

const LABELS: ReadonlyMap<string, string> = new Map(
  Object.values(CONNECTABLE).flatMap(({ seenAs, label, programs }) => (programs.length === 0 ? [] : [[seenAs, label]])),
);

/** The same without its version, where there is little room. */
export const clientName = (client: string, t: Translator): string => clientLabel(client.replace(/\/.*$/s, ''), t);

/** `claude-code/2.1.325` as people say it: Claude Code 2.1.325. */
export function clientLabel(client: string, t: Translator): string {
  const at = client.indexOf('/');
  const name = at < 0 ? client : client.slice(0, at);
  const version = at < 0 ? '' : ` ${client.slice(at + 1)}`;
  if (name === 'unknown') return t('gateway.client.unknown');
  if (name === 'sdk') return t('gateway.client.sdk');
  return `${LABELS.get(name) ?? name}${version}`;
}
