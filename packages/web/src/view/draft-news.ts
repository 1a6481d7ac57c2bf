/** The draft of a branch in one tab: what it shows, and what another tab has instead. */
export interface SharedDraft {
  readonly text: string;
  /** A different text of the same draft: the tab that has it, and its words. */
  readonly other: OtherDraft | null;
  /** Another tab went its own way: this one's words are kept on their own, so that neither overwrites the other. */
  readonly isApart: boolean;
}

export interface OtherDraft {
  readonly tab: string;
  readonly text: string;
}

/** What a tab tells the others when its draft changes. */
export interface DraftNews {
  readonly tab: string;
  /** What it showed before. */
  readonly from: string;
  readonly text: string;
}

/**
 * What a draft becomes when another tab has changed its own. A tab that shows what the other one showed follows it,
 * also when that was sent. Any other tab keeps its own words, and offers those of the other: neither writes over the
 * other.
 */
export function hearDraft(draft: SharedDraft, { tab, from, text }: DraftNews): SharedDraft {
  if (text === draft.text || from === draft.text) return { text, other: null, isApart: false };
  if (text !== '') return { ...draft, other: { tab, text }, isApart: true };
  // Sent or discarded there: there is nothing left to offer.
  return { ...draft, other: draft.other?.tab === tab ? null : draft.other, isApart: true };
}

/** Takes the other text; the own one is offered in its place. */
export function swapDraft({ text, other, isApart }: SharedDraft): SharedDraft {
  if (other === null) return { text, other, isApart };
  return { text: other.text, other: text === '' ? null : { tab: other.tab, text }, isApart };
}
