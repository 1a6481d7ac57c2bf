import type { WireCall, WireContent, WirePart, WireResponse } from '../wire.ts';

export const isModel = (content: WireContent | undefined): boolean => content?.role === 'model';

export const callsOf = (content: WireContent | undefined): readonly WireCall[] =>
  content?.parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.functionCall])) ?? [];

export const responsesOf = (content: WireContent | undefined): readonly WireResponse[] =>
  content?.parts.flatMap((part) => (part.functionResponse === undefined ? [] : [part.functionResponse])) ?? [];

export const isResponseTurn = (content: WireContent | undefined): boolean =>
  !isModel(content) && responsesOf(content).length > 0;

/**
 * What the model said in one go: neighbouring contents of the model, which the API reads as one. Chats of Google's own
 * client send every chunk of a stream as a content of its own, the empty last one too.
 */
export interface ModelRun {
  /** Its first and last content. */
  readonly start: number;
  readonly end: number;
  readonly calls: readonly PlacedCall[];
}

export interface PlacedCall {
  readonly call: WireCall;
  readonly content: number;
  readonly part: number;
}

export function modelRuns(contents: readonly WireContent[]): readonly ModelRun[] {
  const runs: { start: number; end: number; calls: PlacedCall[] }[] = [];
  for (const [content, { parts, role }] of contents.entries()) {
    if (role !== 'model') continue;
    const last = runs.at(-1);
    const run = last?.end === content - 1 ? last : { start: content, end: content, calls: [] };
    if (run !== last) runs.push(run);
    run.end = content;
    for (const [part, { functionCall: call }] of parts.entries()) {
      if (call !== undefined) run.calls.push({ call, content, part });
    }
  }
  return runs;
}

/** Calls and the responses after them, up to the next content of the model. */
export interface Exchange {
  /** The first content with a call, and the last content of the model in front of the responses. */
  readonly index: number;
  readonly end: number;
  readonly calls: readonly WireCall[];
  readonly responses: readonly { readonly response: WireResponse; readonly content: number; readonly part: number }[];
}

export function exchangesOf(contents: readonly WireContent[]): readonly Exchange[] {
  return modelRuns(contents).flatMap(({ end, calls }) => {
    const [first] = calls;
    if (first === undefined) return [];
    const responses: Exchange['responses'][number][] = [];
    for (let next = end + 1; next < contents.length && !isModel(contents[next]); next += 1) {
      contents[next]?.parts.forEach(({ functionResponse }, part) => {
        if (functionResponse !== undefined) responses.push({ response: functionResponse, content: next, part });
      });
    }
    return [{ index: first.content, end, calls: calls.map(({ call }) => call), responses }];
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
