import type { ForeignMessage, Notes } from './conversation.ts';

/** A message without its place: which one it follows is known only when the whole tree is. */
export type ForeignPart = Omit<ForeignMessage, 'parentKey'>;

/** A record of a source that stores a tree: it may become one node, several in a row, or none. */
export interface ForeignEntry {
  readonly key: string;
  readonly parent: string | null;
  /** Its children in the order in which the source shows them, where it says so. */
  readonly children?: readonly string[];
  /** Called once, when everything above it has been read. */
  readonly read: () => readonly ForeignPart[];
}

export interface ForeignTree {
  /** Parents before children. */
  readonly messages: readonly ForeignMessage[];
  /** The last message that a record became, or the nearest one above it. */
  readonly endOf: (key: string | null) => string | null;
}

/**
 * Builds a tree from records that name their parents, in any order. A record that becomes no node gives its children to
 * the nearest one above. Parents that are missing, and records that are each other's parents, are named.
 */
export function treeOf(entries: readonly ForeignEntry[], notes: Notes): ForeignTree {
  const byKey = new Map<string, ForeignEntry>();
  for (const entry of entries) {
    if (!byKey.has(entry.key)) byKey.set(entry.key, entry);
    else
      notes.problems.push({ where: `message ${entry.key}`, message: 'Its id stands twice; the first one is taken.' });
  }
  const ends = new Map<string, string | null>();
  const messages: ForeignMessage[] = [];
  let seen = 0;
  for (const { key, parent, read } of parentsFirst(byKey, notes)) {
    seen += 1;
    let parentKey = parent === null ? null : (ends.get(parent) ?? null);
    for (const part of notes.attempt(`message ${key}`, read) ?? []) {
      messages.push({ ...part, parentKey });
      parentKey = part.key;
    }
    ends.set(key, parentKey);
  }
  const lost = byKey.size - seen;
  if (lost > 0) notes.problems.push({ where: 'messages', message: `${lost} message(s) are each other's parents.` });
  return { messages, endOf: (key) => (key === null ? null : (ends.get(key) ?? null)) };
}

/** Without recursion: a conversation may be deeper than the stack. */
function* parentsFirst(byKey: ReadonlyMap<string, ForeignEntry>, notes: Notes): Generator<ForeignEntry, void> {
  const below = new Map<string | null, ForeignEntry[]>();
  for (const entry of byKey.values()) {
    const isKnown = entry.parent === null || byKey.has(entry.parent);
    if (!isKnown)
      notes.problems.push({ where: `message ${entry.key}`, message: `Its parent ${entry.parent} is not there.` });
    const parent = isKnown ? entry.parent : null;
    const siblings = below.get(parent);
    if (siblings) siblings.push(entry);
    else below.set(parent, [entry]);
  }
  const inOrder = (parent: ForeignEntry | null): readonly ForeignEntry[] => {
    const place = new Map((parent?.children ?? []).map((key, index) => [key, index]));
    const last = place.size;
    return (below.get(parent?.key ?? null) ?? []).toSorted(
      (a, b) => (place.get(a.key) ?? last) - (place.get(b.key) ?? last),
    );
  };
  const waiting = inOrder(null).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    waiting.push(...inOrder(next).toReversed());
  }
}
