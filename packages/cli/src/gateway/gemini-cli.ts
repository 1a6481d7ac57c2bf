import { CONNECTABLE } from '@bough/api';
import { isPlainObject } from '@bough/core';
import { join } from 'node:path';
import type { KnownClient, Place, Setup } from './client.ts';
import { addressOf, isSet, NO_KEY, TOKEN_HEADER } from './client.ts';

export const geminiCli: KnownClient = {
  ...CONNECTABLE.geminiCli,
  speaks: { gemini: 'gemini' },
  setup: (target, place) => {
    const { env } = place;
    const hasOwn = !target.usesBoughsKey && isSet(env['GEMINI_API_KEY']);
    const before = isSet(env['GEMINI_CLI_CUSTOM_HEADERS']) ? `${env['GEMINI_CLI_CUSTOM_HEADERS']},` : '';
    const home = homeFor(place);
    return {
      ...home,
      env: {
        ...home.env,
        GOOGLE_GEMINI_BASE_URL: addressOf(target, 'gemini', 'gemini'),
        ...(hasOwn ? {} : { GEMINI_API_KEY: NO_KEY, GOOGLE_API_KEY: undefined }),
        ...(target.token === null ? {} : { GEMINI_CLI_CUSTOM_HEADERS: `${before}${TOKEN_HEADER}:${target.token}` }),
      },
    };
  },
};

const CHOSEN = 'gemini-api-key';
/** Where it keeps its sessions. In a home that is removed they could not be resumed. */
const KEPT = ['tmp', 'history'];
/** Whoever asks has the same id the next time. */
const INSTALLATION = 'installation_id';

/**
 * With an address and no choice of how to log in, the client refuses to start without a person; with a Google login
 * chosen, it asks another service. The choice is a setting, and settings of the system count only if root wrote them.
 * So the client gets a home for this run: the person's own, by links, with that one setting changed.
 */
function homeFor({ env, directory, readText, namesIn }: Place): Setup {
  const own = join(env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? '', '.gemini');
  const text = readText(join(own, 'settings.json'));
  const settings = text === null ? {} : objectIn(text);
  const security = objectOf(settings?.['security']);
  const auth = objectOf(security['auth']);
  // What cannot be read here is left to the client.
  if (settings === null || auth['selectedType'] === CHOSEN) return { env: {}, words: [] };
  const changed = { ...settings, security: { ...security, auth: { ...auth, selectedType: CHOSEN } } };
  const others = new Set([...namesIn(own), ...KEPT, INSTALLATION]);
  others.delete('settings.json');
  return {
    env: { GEMINI_CLI_HOME: directory },
    words: [],
    files: { '.gemini/settings.json': JSON.stringify(changed) },
    folders: KEPT.map((name) => join(own, name)),
    links: Object.fromEntries([...others].map((name) => [`.gemini/${name}`, join(own, name)])),
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}
