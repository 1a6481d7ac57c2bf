import type { BranchId, FoundIn, NodeId, ProjectId, Role, SearchQuery, SnippetPart } from '@bough/core';
import { SearchSyntaxError } from '@bough/core';

export interface SearchRequest {
  readonly query: SearchQuery;
  /** Only in these projects, in addition to what the query says. An id that names nothing is an `UnknownIdError`. */
  readonly projects?: readonly ProjectId[];
  /** By what was said alone: what a person keeps beside messages finds none of them, and is not told. */
  readonly saidOnly?: true;
  readonly limit: number;
  /** Where the page before ended. */
  readonly cursor?: string;
}

/** Names of projects first, then messages, then messages by their notes, then names of branches; the newest first. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Where to go on; null at the end. A page may have fewer hits than asked for, and still not be the last one. */
  readonly cursor: string | null;
  /** Not everything is in the index yet: there may be more to find in a while. */
  readonly indexing: boolean;
}

export interface SearchHit {
  readonly kind: HitKind;
  readonly projectId: ProjectId;
  /** Of a message. */
  readonly nodeId: NodeId | null;
  /** The branch that was found; of a message, one that leads to it, a visible and last used one if there is any. */
  readonly branchId: BranchId | null;
  readonly role: Role | null;
  readonly model: string | null;
  readonly createdAt: string;
  readonly matches: readonly SearchMatch[];
}

export const HIT_KINDS = ['project', 'node', 'branch'] as const;
export type HitKind = (typeof HIT_KINDS)[number];

export interface SearchMatch {
  readonly where: FoundIn;
  /** The file that the text is from. */
  readonly file?: string;
  readonly snippet: readonly SnippetPart[];
}

/** The place of a hit in the order: newer ones come first, and ids decide between equals. */
export interface Place {
  readonly createdAt: string;
  readonly id: string;
  readonly projectId: ProjectId;
}

/** What is looked through, in this order; what was found by a note is a message. */
export const SOUGHT = ['project', 'node', 'note', 'branch'] as const;
export type Sought = (typeof SOUGHT)[number];

export interface CursorPlace {
  readonly kind: Sought;
  /** Null: before the first one of its kind. */
  readonly place: Place | null;
}

export function cursorText({ kind, place }: CursorPlace): string {
  const values = place === null ? [kind] : [kind, place.createdAt, place.id, place.projectId];
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

export function cursorOf(text: string | undefined): CursorPlace {
  if (text === undefined) return { kind: 'project', place: null };
  const values = parsed(text);
  const [kind, createdAt, id, project] = Array.isArray(values) ? values.map(String) : [];
  const known = SOUGHT.find((name) => name === kind);
  if (known === undefined) throw new SearchSyntaxError('This cursor is not one that a search returned. Search again.');
  if (createdAt === undefined || id === undefined || project === undefined) return { kind: known, place: null };
  return { kind: known, place: { createdAt, id, projectId: project as ProjectId } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Negative where `a` comes first. */
export function inSearchOrder(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  if (a.id !== b.id) return a.id > b.id ? -1 : 1;
  if (a.projectId !== b.projectId) return a.projectId > b.projectId ? -1 : 1;
  return 0;
}
