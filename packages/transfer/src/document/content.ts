import type { Role, Segment } from '@bough/core';

/** `included` as it is, `folded` so that a reader can open it, or `none`. */
export type Reasoning = 'included' | 'folded' | 'none';
export const REASONINGS: readonly Reasoning[] = ['included', 'folded', 'none'];

/** What a document needs of a group; both stored and served ones have it. */
export interface DocumentGroup {
  readonly user: { readonly content: string } | null;
  readonly reply: readonly {
    readonly role: Role;
    readonly content: string;
    readonly modelUsed: string | null;
  }[];
  readonly segments: readonly {
    readonly kind: Segment['kind'];
    readonly items: readonly DocumentItem[];
  }[];
}

export type DocumentItem =
  | { readonly type: 'think'; readonly text: string; readonly redacted: boolean }
  | {
      readonly type: 'tool';
      readonly name: string;
      readonly parameters: Readonly<Record<string, unknown>>;
      readonly result: { readonly content: string; readonly isError: boolean } | null;
    }
  | { readonly type: 'text'; readonly text: string; readonly isError: boolean };

export interface DocumentInput {
  readonly title: string;
  readonly groups: readonly DocumentGroup[];
  readonly reasoning: Reasoning;
}

export function authorOf({ reply }: DocumentGroup): string {
  return reply.find(({ modelUsed }) => modelUsed !== null)?.modelUsed ?? 'Assistant';
}

/** Instructions that were given before the reply, and those that were given after it. */
export function instructionsIn({ reply }: Pick<DocumentGroup, 'reply'>): {
  readonly before: readonly string[];
  readonly after: readonly string[];
} {
  const answered = reply.findIndex(({ role }) => role === 'assistant');
  const texts = (from: number, to?: number): readonly string[] =>
    reply.slice(from, to).flatMap(({ role, content }) => (role === 'system' && content !== '' ? [content] : []));
  return answered < 0 ? { before: texts(0), after: [] } : { before: texts(0, answered), after: texts(answered) };
}

export function thoughtText({ text, redacted }: { readonly text: string; readonly redacted: boolean }): string {
  if (redacted) return '(encrypted by the provider)';
  return text === '' ? '(hidden by the provider)' : text;
}
