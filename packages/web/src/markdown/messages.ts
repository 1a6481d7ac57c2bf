import type { Block } from './blocks.ts';
import type { Formatted } from './tree.ts';

/** What the page asks of the formatting thread; it answers once for `cut`, and once for each of the sources. */
export type Request =
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'format'; readonly sources: readonly string[] };

export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'cut'; readonly blocks: readonly Block[] | null }
  | { readonly kind: 'formatted'; readonly formatted: Formatted | null };
