import type { ContentBlock, Role } from '@bough/core';

/** A message of a foreign conversation that is to become a node. Keys are the source's own ids. */
export interface ForeignMessage {
  readonly key: string;
  readonly parentKey: string | null;
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
  readonly createdAt: string | null;
  readonly toolCallId?: string;
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly isError?: boolean;
  readonly interrupted?: boolean;
  /** Set where the source stores turns; otherwise inferred from the user messages. */
  readonly turnKey?: string;
}

/** A conversation as its reader understood it: a tree, parents before children. */
export interface ForeignConversation {
  readonly format: string;
  readonly key: string;
  readonly title: string;
  readonly createdAt: string | null;
  readonly systemPrompt?: string | null;
  /** Put away by the person, kept above the others, or filed under a name. */
  readonly archived?: boolean;
  readonly pinned?: boolean;
  readonly folder?: string | null;
  readonly messages: readonly ForeignMessage[];
  /** The leaf that the source shows; the last message where it does not say. */
  readonly tipKey?: string | null;
  /** Stored turns, by key: whether they were made in thinking mode. */
  readonly turns?: ReadonlyMap<string, { readonly isThinkingMode: boolean; readonly createdAt: string | null }>;
  /** What Bough does not support (pictures, files, canvas), by kind. */
  readonly leftOut: readonly string[];
  /** Malformed parts, each named; the rest of the conversation is there. */
  readonly problems: readonly ImportProblem[];
}

export interface ImportProblem {
  /** Which record: its position in the file and its id. */
  readonly where: string;
  readonly message: string;
}

/** Collects what a reader cannot use, so that it can read on. */
export class Notes {
  readonly leftOut: string[] = [];
  readonly problems: ImportProblem[] = [];

  /** Reads one part; if anything is wrong with it, that is noted and the part is null. */
  attempt<Part>(where: string, read: () => Part): Part | null {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.problems.push({ where, message: error.message });
      return null;
    }
  }
}

/** A list as a tree without forks. */
export function inLine<Part extends { readonly key: string }>(
  messages: readonly Part[],
): readonly (Part & { readonly parentKey: string | null })[] {
  return messages.map((message, index) => ({ ...message, parentKey: messages[index - 1]?.key ?? null }));
}
