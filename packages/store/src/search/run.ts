import type { BranchId, NodeId, ProjectId, SearchedText, SearchQuery, TreeNode } from '@bough/core';
import {
  fileTextsOf,
  isEmptySearch,
  matchTexts,
  projectId,
  searchedTexts,
  SearchSyntaxError,
  snippetOf,
  UnknownIdError,
} from '@bough/core';
import type { Store } from '../store.ts';
import { annotated } from './annotated.ts';
import type { CursorPlace, HitKind, Place, SearchHit, SearchMatch, SearchPage, SearchRequest, Sought } from './page.ts';
import { cursorOf, cursorText, SOUGHT } from './page.ts';
import { textOfFile } from './texts.ts';

/**
 * Something that an index has what the query needs of. Whether it matches is decided here, for every back end alike.
 */
export interface Candidate extends Place {
  readonly kind: HitKind;
  /** The names of a project or a branch; the notes beside a message. */
  readonly names: readonly string[];
  /** A message that is looked for by what is noted beside it. */
  readonly byNote?: true;
  readonly node: TreeNode | null;
}

/** Where candidates are looked for. */
export interface Scope {
  readonly query: SearchQuery;
  /** Null: in all projects. */
  readonly projects: readonly ProjectId[] | null;
  /** Null: on any branch or none. */
  readonly branch: BranchId | null;
}

export interface SearchSource {
  /** The next candidates of a kind after a place, in order; fewer than the limit only where there are no more. */
  readonly candidates: (
    scope: Scope,
    kind: HitKind,
    after: Place | null,
    limit: number,
  ) => Promise<readonly Candidate[]>;
  /** Brings the index up to date as far as that is quick. True: there is more to do. */
  readonly prepare: (projects: readonly ProjectId[] | null) => Promise<boolean>;
  /** For each of the nodes, a branch whose path has it: a visible and last used one if there is any. */
  readonly leadingBranches: (project: ProjectId, nodes: readonly NodeId[]) => Promise<ReadonlyMap<NodeId, BranchId>>;
}

export type SearchNeeds = Pick<
  Store,
  'blobs' | 'findProjects' | 'getProject' | 'getBranch' | 'listBranches' | 'annotations' | 'getNodes' | 'path'
>;
type Needs = SearchNeeds;

export const SEARCH_LIMITS = {
  /** Hits on a page. */
  page: 100,
  /** Candidates that one request looks at: a phrase of common words has many that do not match. */
  looks: 1_000,
  /** Of these, how many are read at a time. */
  batch: 250,
  /** Texts of a message that are shown. */
  matches: 3,
  /** Projects that a name may mean. */
  projects: 1_000,
} as const;

export async function runSearch(store: Needs, source: SearchSource, request: SearchRequest): Promise<SearchPage> {
  const { query, limit } = request;
  const start = cursorOf(request.cursor);
  if (isEmptySearch(query))
    throw new SearchSyntaxError('Nothing to look for: write a word, or a filter such as has:file.');
  const scope = await scopeOf(store, request);
  const indexing = await source.prepare(scope.projects);
  const hits: SearchHit[] = [];
  let looks = 0;
  let size = limit;
  let place: CursorPlace | null = start;
  while (place !== null && hits.length < limit && looks < SEARCH_LIMITS.looks) {
    const at: CursorPlace = place;
    const isSought = applies(at.kind, query) && !(at.kind === 'note' && request.saidOnly === true);
    const batch: readonly Candidate[] = isSought
      ? at.kind === 'note' || (at.kind === 'node' && query.filters.beside !== undefined)
        ? await annotated(store, scope, at.kind, at.place, size)
        : await source.candidates(scope, at.kind, at.place, size)
      : [];
    let used = 0;
    for (const candidate of batch) {
      if (hits.length === limit) break;
      const hit = await hitOf(store, candidate, query);
      if (hit !== null) hits.push(hit);
      used += 1;
    }
    looks += used;
    const last = batch[used - 1];
    const isEnd = used === batch.length && batch.length < size;
    place = isEnd ? nextKind(at.kind) : { kind: at.kind, place: last === undefined ? at.place : placeOf(last) };
    // Most of them do not match, or all would be on the page: more at a time cost less than asking again.
    size = isEnd ? limit : Math.min(SEARCH_LIMITS.batch, size * 4);
  }
  return { hits: await withBranches(source, hits), cursor: place === null ? null : cursorText(place), indexing };
}

function nextKind(kind: Sought): CursorPlace | null {
  const next = SOUGHT[SOUGHT.indexOf(kind) + 1];
  return next === undefined ? null : { kind: next, place: null };
}

const placeOf = ({ createdAt, id, projectId: project }: Place): Place => ({ createdAt, id, projectId: project });

/** Names have neither role nor model nor files, and a search without words asks for messages. */
function applies(kind: Sought, { terms, filters }: SearchQuery): boolean {
  if (kind === 'node') return true;
  if (kind === 'note') return terms.length > 0;
  const { roles, models, hasFile, branch, beside } = filters;
  return terms.length > 0 && [roles, models, hasFile, branch, beside].every((filter) => filter === undefined);
}

async function scopeOf(store: Needs, { query, projects: given }: SearchRequest): Promise<Scope> {
  const { filters } = query;
  for (const id of given ?? []) await store.getProject(id);
  const named = new Set<ProjectId>();
  for (const name of filters.projects ?? []) for (const id of await projectsNamed(store, name, given)) named.add(id);
  const projects = filters.projects === undefined ? (given ?? null) : [...named];
  if (filters.branch === undefined) return { query, projects, branch: null };
  const [project, other] = projects ?? [];
  if (project === undefined || other !== undefined)
    throw new SearchSyntaxError('A branch belongs to a project: add in:"name of the project", of one project only.');
  const { id } = await store.getBranch(project, filters.branch).catch((error: unknown) => {
    if (error instanceof UnknownIdError) throw new SearchSyntaxError(`The project has no branch "${filters.branch}".`);
    throw error;
  });
  return { query, projects, branch: id };
}

async function projectsNamed(
  store: Needs,
  name: string,
  given: readonly ProjectId[] | undefined,
): Promise<readonly ProjectId[]> {
  if (given !== undefined) return namedAmong(store, name, given);
  try {
    return [(await store.getProject(projectId(name))).id];
  } catch (error) {
    if (!(error instanceof UnknownIdError)) throw error;
  }
  const { projects, total } = await store.findProjects({ name, offset: 0, limit: SEARCH_LIMITS.projects });
  if (total === 0) throw new SearchSyntaxError(`No project is called "${name}".`);
  if (total > projects.length)
    throw new SearchSyntaxError(`"${name}" is in the names of ${total} projects: write more of the name.`);
  return projects.map(({ id }) => id);
}

/** Whoever may search some projects only, as a model does, must not learn from the answer what others there are. */
async function namedAmong(store: Needs, name: string, given: readonly ProjectId[]): Promise<readonly ProjectId[]> {
  const found: ProjectId[] = [];
  for (const id of given)
    if (id === name || (await store.findProjects({ name, id, offset: 0, limit: 1 })).total > 0) found.push(id);
  if (found.length === 0) throw new SearchSyntaxError(`None of the projects that are searched is called "${name}".`);
  return found;
}

/** Null where the candidate does not match after all. */
async function hitOf(store: Needs, candidate: Candidate, query: SearchQuery): Promise<SearchHit | null> {
  const { kind, node, names, id, projectId: project, createdAt } = candidate;
  const texts: readonly SearchedText[] =
    node === null || candidate.byNote === true
      ? names.map((text) => ({ where: node === null ? 'name' : 'note', text }))
      : await textsOfNode(store, node, query);
  const found = matchTexts(
    texts.map(({ text }) => text),
    query.terms,
    query.without,
  );
  if (found === null) return null;
  // Found by its own words already, and shown before.
  if (candidate.byNote === true && node !== null && (await isFoundByItself(store, node, query))) return null;
  const shown = found.length > 0 ? found : texts.length > 0 ? [0] : [];
  const matches = shown.slice(0, SEARCH_LIMITS.matches).flatMap((at): SearchMatch[] => {
    const text = texts[at];
    if (text === undefined) return [];
    const snippet = snippetOf(text.text, query.terms);
    return [{ where: text.where, ...(text.file === undefined ? {} : { file: text.file }), snippet }];
  });
  return {
    kind,
    projectId: project,
    nodeId: node?.id ?? null,
    branchId: kind === 'branch' ? (id as BranchId) : null,
    role: node?.role ?? null,
    model: node?.modelUsed ?? null,
    createdAt,
    matches,
  };
}

async function isFoundByItself(store: Needs, node: TreeNode, query: SearchQuery): Promise<boolean> {
  const texts = (await textsOfNode(store, node, query)).map(({ text }) => text);
  return matchTexts(texts, query.terms, query.without) !== null;
}

/** The texts of files are read only where words are looked for. */
async function textsOfNode(store: Needs, node: TreeNode, query: SearchQuery): Promise<readonly SearchedText[]> {
  const texts = [...searchedTexts(node)];
  if (query.terms.length === 0) return texts;
  for (const { name, text } of fileTextsOf(node.contentBlocks)) {
    const read = await textOfFile(store.blobs, node.projectId, text.hash);
    if (read !== null) texts.push({ where: 'file', text: read, file: name });
  }
  return texts;
}

async function withBranches(source: SearchSource, hits: readonly SearchHit[]): Promise<readonly SearchHit[]> {
  const byProject = new Map<ProjectId, NodeId[]>();
  for (const { projectId: project, nodeId } of hits) {
    if (nodeId !== null) byProject.set(project, [...(byProject.get(project) ?? []), nodeId]);
  }
  const leading = new Map<ProjectId, ReadonlyMap<NodeId, BranchId>>();
  for (const [project, nodes] of byProject) leading.set(project, await source.leadingBranches(project, nodes));
  return hits.map((hit) =>
    hit.nodeId === null ? hit : { ...hit, branchId: leading.get(hit.projectId)?.get(hit.nodeId) ?? null },
  );
}
