import { isDeepStrictEqual } from 'node:util';

/** What a reply says, whoever read it. */
export interface Outcome {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly parameters: unknown }[];
}

/** A contestant that loses something is not fast but wrong. `keeps` names what it claims to keep. */
export function checkOutcome(who: string, got: Outcome, expected: Outcome, keeps: readonly (keyof Outcome)[]): void {
  for (const key of keeps) {
    if (!isDeepStrictEqual(got[key], expected[key])) throw new Error(`${who}: the ${key} of the reply came out wrong.`);
  }
}

/** A network that answers everything with the same bytes. */
export function answering(chunks: readonly Uint8Array[]): typeof globalThis.fetch {
  return () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = chunks[at++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    });
    return Promise.resolve(
      new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
    );
  };
}
