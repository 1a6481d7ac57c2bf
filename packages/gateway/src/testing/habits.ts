import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Habit, Json } from './wire-client.ts';
import { objects } from './wire-client.ts';

/** What clients do to their history between two requests; each was reported of real ones. */
export type HabitName =
  | 'good'
  | 'drops thinking'
  | 'drops signatures'
  | 'reorders'
  | 'renames ids'
  | 'merges messages'
  | 're-encodes'
  | 'cuts results';

const isReply = ({ role, type }: Json): boolean =>
  role === 'assistant' || role === 'model' || type === 'reasoning' || type === 'function_call';

const ofReplies =
  (change: (element: Json) => readonly Json[]): Habit =>
  (list) =>
    list.flatMap((element) => (isReply(element) ? change(element) : [element]));

/** The parts of an element, in whichever protocol. */
function withParts(element: Json, change: (parts: readonly Json[]) => readonly Json[]): readonly Json[] {
  for (const key of ['content', 'parts'])
    if (Array.isArray(element[key])) {
      const parts = change(objects(element[key]));
      return parts.length === 0 ? [] : [{ ...element, [key]: parts }];
    }
  return [element];
}

const isThought = ({ type, thought }: Json): boolean =>
  type === 'thinking' || type === 'redacted_thinking' || thought === true;

const without = (value: Json, ...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));

export const HABITS: Readonly<Record<HabitName, (protocol: ProtocolId) => Habit>> = {
  good: () => (list) => list,
  'drops thinking': () =>
    ofReplies((element) => {
      if (element['type'] === 'reasoning') return [];
      const bare = without(element, 'reasoning_content', 'reasoning', 'reasoning_details');
      return withParts(bare, (parts) =>
        parts.filter((part) => !isThought(part)).map((part) => without(part, 'thoughtSignature')),
      );
    }),
  'drops signatures': () =>
    ofReplies((element) =>
      withParts(without(element, 'encrypted_content', 'reasoning_details'), (parts) =>
        parts.map((part) =>
          isThought(part) ? without(part, 'signature', 'thoughtSignature') : without(part, 'thoughtSignature'),
        ),
      ),
    ),
  reorders: (protocol) =>
    protocol === 'openai-responses'
      ? (list) => reversedRuns(list)
      : ofReplies((element) => withParts(element, (parts) => parts.toReversed())),
  'renames ids': () => (list) => {
    const names = new Map<unknown, string>();
    const rename = (value: unknown, key = ''): unknown => {
      if (Array.isArray(value)) return value.map((each: unknown) => rename(each));
      if (isPlainObject(value))
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rename(each, name)]));
      if (!['id', 'call_id', 'tool_use_id', 'tool_call_id'].includes(key) || typeof value !== 'string') return value;
      if (/^(?:rs|msg|fc|resp)_/.test(value)) return value;
      if (!names.has(value)) names.set(value, `renamed_${names.size}`);
      return names.get(value);
    };
    return list.map((element) => rename(element) as Json);
  },
  'merges messages': () => (list) => merged(list),
  're-encodes': () => (list) => list.map((element) => sorted(element) as Json),
  'cuts results': () => (list) => {
    const last = list.length - 1;
    return list.map((element, at) => (at === last ? element : cut(element)));
  },
};

/** Runs of items that the model made, each in the opposite order. */
function reversedRuns(list: readonly Json[]): readonly Json[] {
  const out: Json[] = [];
  let run: Json[] = [];
  for (const element of list) {
    if (isReply(element)) run.unshift(element);
    else {
      out.push(...run, element);
      run = [];
    }
  }
  return [...out, ...run];
}

/** Neighbours of one side become one message; results move behind the last call. */
function merged(list: readonly Json[]): readonly Json[] {
  const out: Json[] = [];
  for (const element of list) {
    const last = out.at(-1);
    const key = 'parts' in element ? 'parts' : 'content';
    if (last !== undefined && last['role'] === element['role'] && element['role'] === 'user') {
      out[out.length - 1] = { ...last, [key]: [...partsOf(last[key]), ...partsOf(element[key])] };
    } else out.push(element);
  }
  return out;
}

function partsOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (isPlainObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, each]) => [key, sorted(each)]),
    );
  return typeof value === 'string' ? value.trimEnd() : value;
}

const CUT = '[cut]';

function cut(element: Json): Json {
  if (element['type'] === 'function_call_output') return { ...element, output: CUT };
  if (element['role'] === 'tool') return { ...element, content: CUT };
  return (
    withParts(element, (parts) =>
      parts.map((part) => {
        if (part['type'] === 'tool_result') return { ...part, content: CUT };
        const { functionResponse: response } = part;
        return isPlainObject(response)
          ? { ...part, functionResponse: { ...response, response: { output: CUT } } }
          : part;
      }),
    )[0] ?? element
  );
}
