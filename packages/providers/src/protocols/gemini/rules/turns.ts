import type { WireCall, WireContent, WirePart, WireResponse } from '../wire.ts';

export const isModel = (content: WireContent | undefined): boolean => content?.role === 'model';

export const callsOf = (content: WireContent | undefined): readonly WireCall[] =>
  content?.parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.functionCall])) ?? [];

export const responsesOf = (content: WireContent | undefined): readonly WireResponse[] =>
  content?.parts.flatMap((part) => (part.functionResponse === undefined ? [] : [part.functionResponse])) ?? [];

export const isCallTurn = (content: WireContent | undefined): boolean =>
  isModel(content) && callsOf(content).length > 0;

export const isResponseTurn = (content: WireContent | undefined): boolean =>
  !isModel(content) && responsesOf(content).length > 0;

/** A call turn and the responses after it, up to the next model content. */
export interface Exchange {
  readonly index: number;
  readonly calls: readonly WireCall[];
  readonly responses: readonly { readonly response: WireResponse; readonly content: number; readonly part: number }[];
}

export function exchangesOf(contents: readonly WireContent[]): readonly Exchange[] {
  return contents.flatMap((content, index) => {
    if (!isCallTurn(content)) return [];
    const responses: Exchange['responses'][number][] = [];
    for (let next = index + 1; next < contents.length && !isModel(contents[next]); next += 1) {
      contents[next]?.parts.forEach(({ functionResponse }, part) => {
        if (functionResponse !== undefined) responses.push({ response: functionResponse, content: next, part });
      });
    }
    return [{ index, calls: callsOf(content), responses }];
  });
}

/**
 * Where the running turn starts: at the newest user content that does not answer calls. Signatures are required only
 * from there on.
 */
export function runningTurnStart(contents: readonly WireContent[]): number {
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    if (!isModel(contents[index]) && !isResponseTurn(contents[index])) return index;
  }
  return 0;
}

/** The same contents with every part mapped; null removes a part. */
export function mapParts(
  contents: readonly WireContent[],
  change: (part: WirePart, content: number, position: number) => WirePart | null,
): readonly WireContent[] {
  return contents.map((content, contentIndex) => ({
    ...content,
    parts: content.parts.flatMap((part, partIndex) => {
      const changed = change(part, contentIndex, partIndex);
      return changed === null ? [] : [changed];
    }),
  }));
}
