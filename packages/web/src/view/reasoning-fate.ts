import type { ReportLine } from './switch-preview.ts';

type Fate = NonNullable<ReportLine['reasoning']>;
type Lines = ReadonlyMap<string, Pick<ReportLine, 'reasoning'>>;

/** What a person can decide about comes first. */
const ORDER: readonly Fate[] = ['left_out', 'as_text', 'incomplete', 'goes_back'];

/** What becomes of the reasoning of these replies; null if none of it is part of the request. */
export function fateOf(lines: Lines, nodes: readonly { readonly id: string }[]): Fate | null {
  const fates = new Set(nodes.map(({ id }) => lines.get(id)?.reasoning));
  return ORDER.find((fate) => fates.has(fate)) ?? null;
}

/**
 * Whether replies after a node would lose reasoning that goes back now if the node's own were sent as text: a model
 * that binds its thinking takes it only behind exactly what it was made with.
 */
export function losesLaterThinking(lines: Lines, nodeId: string): boolean {
  let isBehind = false;
  for (const [id, { reasoning }] of lines) {
    if (isBehind && reasoning === 'goes_back') return true;
    isBehind ||= id === nodeId;
  }
  return false;
}
