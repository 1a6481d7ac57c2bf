import { isPlainObject } from '@bough/core';
import { objectId } from '../objects/object.ts';
import { parseTree } from '../objects/tree.ts';
import type { GitObject, ObjectType } from '../process/object-reader.ts';
import type { Repository } from '../repository/repository.ts';
import { readIfWhole } from './tips.ts';

// The objects of a history as lines of JSON that people can read, each after what it refers to, in an order that the
// history alone decides: the same history always gives the same lines. A file that grew is written as what was added.

export interface ObjectLine {
  readonly id: string;
  readonly type: ObjectType;
  /** The blob that it begins with. */
  readonly base?: string;
  readonly text?: string;
  /** What is not text. */
  readonly base64?: string;
}

const SUBMODULE = '160000';

/** Every object that can be reached from the tips. What is missing is told, and left out. */
export async function* objectLines(
  repository: Repository,
  tips: Iterable<string>,
  onMissing: (oid: string) => void,
): AsyncIterable<ObjectLine> {
  const done = new Set<string>();
  const texts = createTexts(repository);

  async function* tree(oid: string, before: string | null): AsyncIterable<ObjectLine> {
    if (done.has(oid)) return;
    done.add(oid);
    const object = await readIfWhole(repository, oid);
    const entries = object?.type === 'tree' ? parseTree(object.content) : null;
    if (object === null || entries === null) return onMissing(oid);
    const earlier = before === null ? null : await readIfWhole(repository, before);
    const olds = earlier?.type === 'tree' ? parseTree(earlier.content) : null;
    for (const [name, { mode, oid: inner }] of entries) {
      if (mode === SUBMODULE) continue;
      const old = olds?.get(name)?.oid ?? null;
      if (mode === '40000') yield* tree(inner, old);
      else yield* blob(inner, old);
    }
    yield lineOf(oid, object);
  }

  async function* blob(oid: string, before: string | null): AsyncIterable<ObjectLine> {
    if (done.has(oid)) return;
    done.add(oid);
    const content = await texts.get(oid);
    if (content === null) return onMissing(oid);
    const start = before !== null && done.has(before) ? await texts.get(before) : null;
    const grew = start !== null && start.length > 0 && content.subarray(0, start.length).equals(start);
    yield grew && before !== null
      ? { id: oid, type: 'blob', base: before, ...encoded(content.subarray(start.length)) }
      : { id: oid, type: 'blob', ...encoded(content) };
  }

  for (const tip of tips) {
    // Down to the oldest that is not written yet, then up again, without recursion: histories are deep.
    const waiting = [tip];
    for (let oid = waiting.at(-1); oid !== undefined; oid = waiting.at(-1)) {
      const object = done.has(oid) ? null : await readIfWhole(repository, oid);
      if (object === null) {
        if (!done.has(oid)) onMissing(oid);
        done.add(oid);
        waiting.pop();
        continue;
      }
      const { above, root } = refersTo(object);
      const open = above.filter((one) => !done.has(one));
      if (open.length > 0) {
        waiting.push(...open.reverse());
        continue;
      }
      waiting.pop();
      if (root !== null) {
        const [parent] = above;
        const first = parent === undefined ? null : await readIfWhole(repository, parent);
        yield* tree(root, first === null ? null : refersTo(first).root);
      }
      done.add(oid);
      yield lineOf(oid, object);
    }
  }
}

/** The commits before a commit, or what a tag names; and the commit's tree. */
function refersTo({ type, content }: GitObject): { readonly above: readonly string[]; readonly root: string | null } {
  const text = content.toString('latin1');
  const head = text.slice(0, text.indexOf('\n\n') < 0 ? text.length : text.indexOf('\n\n') + 1);
  const named = (field: string): string[] =>
    [...head.matchAll(new RegExp(`^${field} ([0-9a-f]{40})$`, 'gm'))].map(([, oid = '']) => oid);
  if (type === 'tag') return { above: named('object'), root: null };
  return {
    above: type === 'commit' ? named('parent') : [],
    root: type === 'commit' ? (named('tree')[0] ?? null) : null,
  };
}

const lineOf = (id: string, { type, content }: Pick<GitObject, 'type' | 'content'>): ObjectLine => ({
  id,
  type,
  ...encoded(content),
});

function encoded(content: Buffer): Pick<ObjectLine, 'text' | 'base64'> {
  const text = content.toString('utf8');
  // A text is one only if nothing of it is lost.
  return Buffer.from(text).equals(content) ? { text } : { base64: content.toString('base64') };
}

/** The newest texts: each is the beginning of the next one, and is asked for again. */
const KEPT_TEXTS = 24;

function createTexts(repository: Repository): { readonly get: (oid: string) => Promise<Buffer | null> } {
  const kept = new Map<string, Buffer>();
  return {
    get: async (oid) => {
      const known = kept.get(oid);
      if (known !== undefined) return known;
      const object = await readIfWhole(repository, oid);
      if (object?.type !== 'blob') return null;
      kept.set(oid, object.content);
      const oldest = kept.size > KEPT_TEXTS ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      return object.content;
    },
  };
}

/** How many bytes of objects wait before they are written. */
const WAITING_BYTES = 32 * 1024 * 1024;

/** Puts the objects of lines into a repository. False where a line is not what its id says: then nothing counts. */
export async function writeObjectLines(repository: Repository, lines: Iterable<unknown>): Promise<boolean> {
  const objects = repository.newObjects();
  const recent = new Map<string, Buffer>();
  let waiting = 0;
  for (const line of lines) {
    if (!isObjectLine(line)) return false;
    const rest = line.text === undefined ? Buffer.from(line.base64 ?? '', 'base64') : Buffer.from(line.text);
    let start: Buffer | undefined;
    if (line.base !== undefined) {
      start = recent.get(line.base);
      if (start === undefined) {
        await objects.flush();
        waiting = 0;
        const found = await readIfWhole(repository, line.base);
        if (found?.type !== 'blob') return false;
        start = found.content;
      }
    }
    const content = start === undefined ? rest : Buffer.concat([start, rest]);
    if (objectId(line.type, [content]) !== line.id) return false;
    objects.add(line.type, content);
    if (line.type === 'blob') {
      recent.set(line.id, content);
      const oldest = recent.size > KEPT_TEXTS ? recent.keys().next().value : undefined;
      if (oldest !== undefined) recent.delete(oldest);
    }
    waiting += content.length;
    if (waiting < WAITING_BYTES) continue;
    await objects.flush();
    waiting = 0;
  }
  await objects.flush();
  return true;
}

const TYPES: ReadonlySet<unknown> = new Set<ObjectType>(['blob', 'tree', 'commit', 'tag']);

export function isObjectLine(value: unknown): value is ObjectLine {
  if (!isPlainObject(value)) return false;
  const { id, type, base, text, base64 } = value;
  const isText = (one: unknown): boolean => typeof one === 'string';
  return isText(id) && TYPES.has(type) && (base === undefined || isText(base)) && isText(text ?? base64);
}
