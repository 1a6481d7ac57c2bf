import type { ExchangeView } from '@bough/api/client';
import type { Translator } from '../i18n/later/index.ts';

/** Why a request found what it found in the provider's cache, in a sentence. People count from one. */
export function causeText({ cause }: ExchangeView['cache'], t: Translator): string {
  switch (cause.kind) {
    case 'tools':
    case 'settings':
    case 'message':
      return t(`cause.${cause.kind}`, { name: cause.name, at: cause.at + 1 });
    case 'system':
      return t('cause.system', { at: cause.at + 1 });
    case 'model':
      return t('cause.model', { name: cause.name });
    case 'far':
      return t('cause.far', { blocks: cause.blocks });
    case 'expired':
      return t('cause.expired', { minutes: cause.minutes });
    case 'first':
    case 'hit':
    case 'unmarked':
    case 'short':
    case 'provider':
    case 'unknown':
      return t(`cause.${cause.kind}`);
  }
}

/** Whether something was lost that the client could have kept. */
export function isMiss({ cause }: ExchangeView['cache']): boolean {
  return !['first', 'hit', 'short', 'unknown'].includes(cause.kind);
}
