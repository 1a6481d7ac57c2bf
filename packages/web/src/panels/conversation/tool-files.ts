import type { AttachedBlock } from '@bough/core';
import { createContext } from 'react';

/** The results of a reply's tools: what they hold besides words, where they are, and the project that has them. */
export interface ToolFiles {
  readonly projectId: string;
  readonly byCall: ReadonlyMap<string | null, readonly AttachedBlock[]>;
  /** By call: the node of its result. */
  readonly results: ReadonlyMap<string, string>;
}

export const ToolFiles = createContext<ToolFiles>({ projectId: '', byCall: new Map(), results: new Map() });
