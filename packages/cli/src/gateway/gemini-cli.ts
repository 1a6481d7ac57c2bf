import { CONNECTABLE } from '@bough/api';
import { isPlainObject } from '@bough/core';
import { dirname, join } from 'node:path';
import type { KnownClient, Place, Setup } from './client.ts';
import { addressOf, inHome, isSet, NO_KEY, objectIn, TOKEN_HEADER } from './client.ts';

export const geminiCli: KnownClient = {
  ...CONNECTABLE.geminiCli,
  speaks: { gemini: 'gemini' },
  setup: (target, place) => {
    const { env } = place;
    const own = target.usesBoughsKey ? undefined : keyOf(place);
    const before = isSet(env['GEMINI_CLI_CUSTOM_HEADERS']) ? `${env['GEMINI_CLI_CUSTOM_HEADERS']},` : '';
    const home = homeFor(place);
    return {
      ...home,
      env: {
        ...home.env,
        GOOGLE_GEMINI_BASE_URL: addressOf(target, 'gemini', 'gemini'),
        GEMINI_API_KEY: own ?? NO_KEY,
        ...(own === undefined ? { GOOGLE_API_KEY: undefined } : {}),
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
function homeFor(place: Place): Setup {
  const { directory, readText, namesIn } = place;
  const own = ownFolder(place);
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

const ownFolder = (place: Place): string =>
  place.env['GEMINI_CLI_HOME'] === undefined ? inHome(place, '.gemini') : join(place.env['GEMINI_CLI_HOME'], '.gemini');

const KEY_LINE = /^\s*(?:export\s+)?GEMINI_API_KEY\s*=\s*["']?([^\s"'#]+)/m;

/** The client reads its key from the first of these files that there is, unless a variable has it already. */
function keyOf(place: Place): string | undefined {
  const { env, cwd, readText } = place;
  const key = env['GEMINI_API_KEY'];
  if (isSet(key)) return key;
  const folders = [cwd];
  for (let above = dirname(cwd); above !== folders.at(-1); above = dirname(above)) folders.push(above);
  const files = [
    ...folders.flatMap((folder) => [join(folder, '.gemini', '.env'), join(folder, '.env')]),
    join(ownFolder(place), '.env'),
    inHome(place, '.env'),
  ];
  const text = files.map(readText).find((each) => each !== null);
  return KEY_LINE.exec(text ?? '')?.[1];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}
