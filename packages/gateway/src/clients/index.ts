import { sha256 } from '@bough/core';
import { memberSpans } from '../dialects/scan.ts';

/** The program that asks, as it calls itself. */
export interface Program {
  /** Without a version: it names the client's sessions, and an update must not cut them in two. */
  readonly name: string;
  /** With its version, if it says one. */
  readonly version: string;
  /** For people. */
  readonly label: string;
  /** Works with tools by itself: what it asks without tools is beside its conversation. */
  readonly isAgent: boolean;
}

/** Who is asking. */
export interface Client extends Program {
  /** The session that it declares; null if it declares none. */
  readonly session: string | null;
}

interface Known {
  readonly name: string;
  readonly label: string;
  /** What its user agent begins with. */
  readonly agent: RegExp;
  /** Headers in which it declares its session, the first one that is there counts. */
  readonly sessions: readonly string[];
}

const KNOWN: readonly Known[] = [
  {
    name: 'claude-code',
    label: 'Claude Code',
    agent: /^claude-(?:cli|code)\b/i,
    sessions: ['x-claude-code-session-id'],
  },
  { name: 'codex', label: 'Codex', agent: /^codex[_-]/i, sessions: ['session-id', 'session_id', 'thread-id'] },
  { name: 'gemini-cli', label: 'Gemini CLI', agent: /^GeminiCLI\b/i, sessions: [] },
  { name: 'opencode', label: 'opencode', agent: /^opencode\b/i, sessions: ['x-session-id', 'x-session-affinity'] },
  { name: 'qwen-code', label: 'Qwen Code', agent: /^QwenCode\b/i, sessions: [] },
];

/** Any client may declare a session with this one. */
const OWN_HEADER = 'x-bough-session';
const SDK = /^(?:Async)?(?:Anthropic|OpenAI)\b|^google-genai-sdk\b|^ai(?:-sdk)?\//i;
const LONGEST = 40;
const LONGEST_SESSION = 256;

/** Recognises a client by its user agent, and its session by what it declares in its headers or in its body. */
export function clientOf(headers: Readonly<Record<string, string>>, body: string): Client {
  const agent = (headers['user-agent'] ?? '').trim();
  const known = knownAs(agent);
  const session =
    sessionIn(headers, [OWN_HEADER]) ??
    sessionIn(headers, known?.sessions ?? ['x-session-id']) ??
    sessionOfBody(body, known !== undefined);
  return { ...programOf(agent), session };
}

const knownAs = (agent: string): Known | undefined => KNOWN.find(({ agent: begins }) => begins.test(agent));

/** Who is asking, by the user agent alone. */
export function programOf(userAgent: string): Program {
  const agent = userAgent.trim();
  const known = knownAs(agent);
  if (known !== undefined) {
    const { name, label } = known;
    const number = /^[^/\s]*\/(\d[\w.+-]*)/.exec(agent)?.[1];
    return { name, version: number === undefined ? name : `${name}/${number}`, label, isAgent: true };
  }
  if (SDK.test(agent)) return { name: 'sdk', version: 'sdk', label: 'SDK', isAgent: false };
  const [token = ''] = agent.split(/\s/, 1);
  const name = printable(token.split('/', 1)[0] ?? '');
  return name === ''
    ? { name: 'unknown', version: 'unknown', label: 'Other clients', isAgent: false }
    : { name, version: printable(token), label: name, isAgent: false };
}

/** The project of a declared session, without asking anybody: two servers come to the same. */
export function sessionProject({ name, session }: Client): string | null {
  return session === null ? null : `gateway-${sha256(`${name}\n${session}`).slice(0, 32)}`;
}

const printable = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, LONGEST);

function sessionIn(headers: Readonly<Record<string, string>>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = (headers[name] ?? '').trim();
    if (value !== '') return value.slice(0, LONGEST_SESSION);
  }
  return null;
}

/**
 * Some clients say it in their body: as metadata that is JSON in itself. Agents have one key of the provider's cache
 * per conversation; other programs often have a single one for everything. Only these members are read; the rest may
 * have megabytes.
 */
function sessionOfBody(body: string, isAgent: boolean): string | null {
  const spans = spansOf(body);
  const read = (key: string): unknown => {
    const span = spans?.get(key);
    return span === undefined ? undefined : parsed(body.slice(span.from, span.to));
  };
  const user = member(read('metadata'), 'user_id');
  const declared = typeof user === 'string' && user.startsWith('{') ? member(parsed(user), 'session_id') : undefined;
  const inMetadata = member(read('client_metadata'), 'session_id');
  const value = [declared, inMetadata, isAgent ? read('prompt_cache_key') : undefined].find(
    (each) => typeof each === 'string' && each !== '',
  );
  return typeof value === 'string' ? value.slice(0, LONGEST_SESSION) : null;
}

/** Nobody knows yet whether the body is JSON at all. */
function spansOf(body: string): ReturnType<typeof memberSpans> {
  try {
    return memberSpans(body);
  } catch {
    return null;
  }
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
