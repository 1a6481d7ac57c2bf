import type { ModelFacts } from '../facts.ts';

/** A vendor's list of models, as far as it was read. */
export interface ModelList {
  readonly models: ReadonlyMap<string, ModelFacts>;
  /** Whether the end of the list was reached: only then is a missing model one that does not exist. */
  readonly complete: boolean;
}

const DATED = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/;
const SNAPSHOT = new RegExp(`${DATED.source}|-latest$`);
const plain = (id: string): string => id.replace(/^models\//, '').replace(/:latest$/, '');
/** `vendor/model:free`: what follows the colon is how it is served, not another model. */
const unvaried = (id: string): string => id.replace(/(\/[^/:]+):[\w-]+$/, '$1');

/** What the list says about a model, also under the name of one of its snapshots or variants. */
export function findListed({ models }: ModelList, model: string): ModelFacts | undefined {
  const id = plain(model);
  const exact = models.get(id) ?? models.get(`${id}:latest`) ?? models.get(unvaried(id));
  if (exact !== undefined) return exact;
  const bare = id.replace(SNAPSHOT, '');
  // Two dates are two snapshots: one that the list does not have does not exist because another one does.
  const isOther = (name: string): boolean => DATED.test(id) && DATED.test(name);
  for (const [name, facts] of models) if (name.replace(SNAPSHOT, '') === bare && !isOther(name)) return facts;
  return undefined;
}

/**
 * Whether the list proves that there is no such model. A list with a pattern (a proxy's `openai/*`) proves nothing, nor
 * does any list about names that vendors do not list: presets, and models that somebody tuned.
 */
export function isMissing(list: ModelList, model: string): boolean {
  if (!list.complete || /^@|@preset|^tunedModels\//.test(model)) return false;
  if ([...list.models.keys()].some((id) => id.includes('*'))) return false;
  return findListed(list, model) === undefined;
}

const NEAR = 3;
const LIKE_ENOUGH = 0.45;

/** The names that were perhaps meant, the likeliest first. */
export function nearMatches(names: Iterable<string>, model: string): readonly string[] {
  const wanted = pairs(model);
  const scored = [...new Set(names)].map((name) => ({ name, score: likeness(name, model, wanted) }));
  return scored
    .filter(({ score }) => score >= LIKE_ENOUGH)
    .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, NEAR)
    .map(({ name }) => name);
}

function likeness(name: string, model: string, wanted: ReadonlySet<string>): number {
  // A gateway's name without its vendor.
  if (name.endsWith(`/${model}`)) return 1;
  const found = pairs(name);
  const shared = [...wanted].filter((pair) => found.has(pair)).length;
  return (2 * shared) / (wanted.size + found.size || 1);
}

function pairs(text: string): ReadonlySet<string> {
  const low = text.toLowerCase();
  return new Set(Array.from({ length: Math.max(1, low.length - 1) }, (_, at) => low.slice(at, at + 2)));
}
