import type { ProviderToolName } from '@bough/core';
import { questionIn, TITLE_INSTRUCTIONS, titleFrom } from '@bough/core';
import type { FaultOrder } from '../faults/index.ts';
import { FAULT_FORMS, parseFault, UnknownFaultError } from '../faults/index.ts';
import type { Prompt } from '../reply.ts';

/** What a message tells the simulator to show. Anything absent is left to the model's own style. */
export interface Script {
  readonly help: boolean;
  /** How many blocks of thinking come before the answer. */
  readonly thinkingBlocks?: number;
  /** How long each of them is. */
  readonly thinkingCharacters?: number;
  readonly redactedBlocks?: number;
  readonly tools?: ToolScript;
  readonly content?: 'unicode' | 'markdown' | 'unknown_block' | 'empty';
  readonly longCharacters?: number;
  /** Words to say instead of an answer. */
  readonly say?: string;
  /** What to answer a request for a title of the conversation: words, or a fault. */
  readonly title?: string;
  /** The name of a fact to tell, if the request holds it. */
  readonly recall?: string;
  /** A summary of the request: the facts in it. */
  readonly summary?: boolean;
  /** The provider does not summarise this by itself. */
  readonly unsummarised?: boolean;
  readonly stop?: 'refusal' | 'max_tokens';
  /** In how many requests the answer is given, where a protocol can do that. */
  readonly hops?: number;
  /** What the provider's own tools do, by name: with which words. Absent: each that is offered does something. */
  readonly hosted?: HostedScript;
  /** How often the provider pauses its own tools and wants to be called again. */
  readonly pauses?: number;
  /** The containers of earlier replies are gone. */
  readonly expired?: boolean;
  readonly faults: readonly FaultOrder[];
  /**
   * Commands that were not understood, with what to write instead. Reported in the answer: a typo must not pass
   * silently.
   */
  readonly problems: readonly string[];
}

export type HostedScript = Partial<Readonly<Record<ProviderToolName, string>>>;

export interface ToolScript {
  /** The tools to call, in order; empty means whichever the request offers. */
  readonly names: readonly string[];
  /** How many calls one message makes in parallel. */
  readonly parallel: number;
  /** How many messages with calls come before the answer. */
  readonly steps: number;
}

type ScriptDraft = { -readonly [Key in keyof Script]: Script[Key] } & { faults: FaultOrder[]; problems: string[] };

interface Command {
  readonly form: string;
  readonly meaning: string;
  /** False if the arguments make no sense. */
  readonly apply: (draft: ScriptDraft, words: readonly string[]) => boolean;
}

const MAX_BLOCKS = 50;
const MAX_LONG_CHARACTERS = 2_000_000;

const COMMANDS: Readonly<Record<string, Command>> = {
  help: command('help', 'this list', (draft) => set(draft, 'help', true)),
  think: command(
    'think N [M]',
    'N blocks of thinking, of M characters each',
    (draft, [count, characters]) =>
      setNumber(draft, 'thinkingBlocks', count ?? '1', MAX_BLOCKS) &&
      (characters === undefined || setNumber(draft, 'thinkingCharacters', characters, MAX_LONG_CHARACTERS)),
  ),
  redacted: command('redacted [N]', 'N encrypted thinking blocks', (draft, [count]) =>
    setNumber(draft, 'redactedBlocks', count ?? '1', MAX_BLOCKS),
  ),
  tools: command('tools [NAME…] [xN] [steps M]', 'N parallel calls, in M rounds', (draft, words) =>
    set(draft, 'tools', readTools(words)),
  ),
  long: command('long N', 'an answer of N characters', (draft, [count]) =>
    setNumber(draft, 'longCharacters', count ?? '20000', MAX_LONG_CHARACTERS),
  ),
  unicode: command('unicode', 'text that breaks careless programs', (draft) => set(draft, 'content', 'unicode')),
  markdown: command(
    'markdown [N]',
    'tables, code, mathematics; N characters of them, also of thinking',
    (draft, [count]) =>
      set(draft, 'content', 'markdown') &&
      (count === undefined || setNumber(draft, 'longCharacters', count, MAX_LONG_CHARACTERS)),
  ),
  unknown: command('unknown', 'a content block that no client knows', (draft) =>
    set(draft, 'content', 'unknown_block'),
  ),
  empty: command('empty', 'an answer without text', (draft) => set(draft, 'content', 'empty')),
  say: command(
    'say WORDS',
    'exactly these words; \\n begins a line',
    (draft, words) => words.length > 0 && set(draft, 'say', words.join(' ').replaceAll('\\n', '\n')),
  ),
  title: command(
    'title WORDS | fault NAME',
    'the title that a model gives the conversation, or what goes wrong instead',
    (draft, words) => words.length > 0 && set(draft, 'title', words.join(' ')),
  ),
  recall: command(
    'recall NAME',
    'what was said as `fact NAME is …`, if the request still holds it',
    (draft, [name]) => name !== undefined && set(draft, 'recall', name),
  ),
  summary: command('summary', 'every fact that the request holds', (draft) => set(draft, 'summary', true)),
  unsummarised: command('unsummarised', 'no summary by the provider itself (Anthropic)', (draft) =>
    set(draft, 'unsummarised', true),
  ),
  refuse: command('refuse', 'a refusal', (draft) => set(draft, 'stop', 'refusal')),
  max_tokens: command('max_tokens', 'an answer that ends in the middle', (draft) => set(draft, 'stop', 'max_tokens')),
  hops: command('hops N', 'an answer that takes N requests (Gemini)', (draft, [count]) =>
    setNumber(draft, 'hops', count ?? '2', MAX_BLOCKS),
  ),
  search: command('search WORDS', 'a search of the web by the provider itself', hostedBy('web_search')),
  fetch: command('fetch URL', 'a page that the provider itself fetches', hostedBy('web_fetch')),
  code: command('code WORDS', 'code that the provider itself runs', hostedBy('code_execution')),
  files: command('files WORDS', 'a search of files by the provider itself', hostedBy('file_search')),
  image: command('image WORDS', 'a picture that the provider itself makes', hostedBy('image_generation')),
  mcp: command('mcp WORDS', 'a call of a remote MCP server by the provider itself', hostedBy('remote_mcp')),
  pause: command('pause [N]', 'N pauses of the provider in its own tools (Anthropic)', (draft, [count]) =>
    setNumber(draft, 'pauses', count ?? '1', MAX_BLOCKS),
  ),
  expire: command('expire', 'the containers of earlier code are gone', (draft) => set(draft, 'expired', true)),
  slow: command('slow MS', 'a pause of MS milliseconds after each event', (draft, [ms]) => {
    if (ms === undefined || !/^\d+$/.test(ms)) return false;
    draft.faults.push({ fault: { type: 'pace', ms: Math.min(Number(ms), 60_000) }, times: null, call: null });
    return true;
  }),
  fault: command('fault NAME', 'something goes wrong, see below', (draft, words) => {
    draft.faults.push(parseFault(words.join(' ')));
    return true;
  }),
};

/** Reads every `/sim …` in a message. A command ends at the next one or at the end of its line. */
export function readScript(text: string): Script {
  const draft: ScriptDraft = { help: false, faults: [], problems: [] };
  for (const [, line = ''] of text.matchAll(/(?:^|\s)\/sim(?![^\s])([^\n]*?)(?=\s\/sim(?!\S)|\n|$)/g))
    readCommand(draft, line.trim());
  return draft;
}

/**
 * What a request is to show. One for a title quotes a conversation: of the commands in that, only those about its title
 * count.
 */
export function scriptOf({ system, userText }: Pick<Prompt, 'system' | 'userText'>): Script {
  if (!system.startsWith(TITLE_INSTRUCTIONS)) return readScript(userText);
  const question = questionIn(userText);
  const { title } = readScript(question);
  const nothing: Script = { help: false, thinkingBlocks: 0, faults: [], problems: [] };
  if (title?.startsWith('fault ') === true) return { ...nothing, faults: [parseFault(title.slice('fault '.length))] };
  const about = titleFrom(withoutCommands(question)).split(' ').slice(0, 5).join(' ');
  return { ...nothing, say: title ?? `Simulated: ${about}` };
}

function readCommand(draft: ScriptDraft, line: string): void {
  const [name = 'help', ...words] = line === '' ? [] : line.split(/\s+/);
  const known = Object.hasOwn(COMMANDS, name.toLowerCase()) ? COMMANDS[name.toLowerCase()] : undefined;
  if (known === undefined) {
    draft.problems.push(`\`/sim ${line}\` is not a command. Write \`/sim help\` to see them all.`);
    return;
  }
  try {
    if (!known.apply(draft, words)) draft.problems.push(`\`/sim ${line}\` should look like \`/sim ${known.form}\`.`);
  } catch (error) {
    if (!(error instanceof UnknownFaultError)) throw error;
    draft.problems.push(error.message);
  }
}

/** The text without its commands: what the person said to the model. */
export function withoutCommands(text: string): string {
  return text.replaceAll(/(^|\s)\/sim(?!\S)[^\n]*/g, '$1').trim();
}

export function helpText(): string {
  const commands = Object.values(COMMANDS).map(({ form, meaning }) => [form, meaning] as const);
  const faults = FAULT_FORMS.map(([form, meaning]) => [`fault ${form}`, meaning] as const);
  return [
    'Write any of these in a message, several on one line if you like.',
    `| command | what it shows |\n|---|---|\n${tableRows(commands)}`,
    'Things that go wrong:',
    `| command | what happens |\n|---|---|\n${tableRows(faults)}`,
    'A fault strikes every attempt; add `x1` and it strikes once, so that you can watch the retry succeed. ' +
      'Add `call 2` and it strikes only the second call of a turn, the one after the first tool result.',
  ].join('\n\n');
}

function tableRows(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([form, meaning]) => `| \`/sim ${form}\` | ${meaning} |`).join('\n');
}

function command(form: string, meaning: string, apply: Command['apply']): Command {
  return { form, meaning, apply };
}

function set<Key extends keyof ScriptDraft>(draft: ScriptDraft, key: Key, value: ScriptDraft[Key]): boolean {
  draft[key] = value;
  return true;
}

/** A tool of the provider does what the words say; it must be switched on. */
function hostedBy(tool: ProviderToolName): Command['apply'] {
  return (draft, words) => words.length > 0 && set(draft, 'hosted', { ...draft.hosted, [tool]: words.join(' ') });
}

function setNumber(
  draft: ScriptDraft,
  key: 'thinkingBlocks' | 'thinkingCharacters' | 'redactedBlocks' | 'longCharacters' | 'hops' | 'pauses',
  word: string,
  most: number,
): boolean {
  if (!/^\d+$/.test(word)) return false;
  draft[key] = Math.min(Number(word), most);
  return true;
}

function readTools(words: readonly string[]): ToolScript {
  const names: string[] = [];
  let parallel = 1;
  let steps = 1;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (/^x\d+$/.test(word)) {
      parallel = clampCount(word.slice(1));
    } else if (word === 'steps' && /^\d+$/.test(words[index + 1] ?? '')) {
      steps = clampCount(words[index + 1] ?? '1');
      index += 1;
    } else {
      names.push(word);
    }
  }
  return { names, parallel: Math.max(parallel, names.length), steps };
}

function clampCount(digits: string): number {
  return Math.max(1, Math.min(Number(digits), MAX_BLOCKS));
}
