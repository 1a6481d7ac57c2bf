import type { WireContent, WirePart } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { DOCS, finding } from './context.ts';
import { isModel, modelRuns, runningTurnStart } from './turns.ts';

// Requests that the API answers with 200 although something is lost.

/** The part without its signature, as JSON: what the signature was issued for. */
export function signedPayload(part: Readonly<Record<string, unknown>>): string {
  const { thoughtSignature: _, ...payload } = part;
  return JSON.stringify(payload);
}

export const signaturesKept: GeminiRule = {
  id: 'GEM-KEEP-1',
  title: 'Every signature of a replayed reply goes back.',
  reference: DOCS.signatures,
  kind: 'silent',
  check: ({ request }, { replayed }) => {
    const sent = new Set(modelParts(request.contents).map(({ part }) => part.thoughtSignature));
    return (replayed?.signed ?? [])
      .filter(({ signature }) => !sent.has(signature))
      .map(() =>
        finding('contents', 'A signature of an earlier reply is missing: the model forgets what it thought there.'),
      );
  },
};

export const signaturesInPlace: GeminiRule = {
  id: 'GEM-KEEP-2',
  title: 'A signature stays on its own part, which is not changed, joined or split.',
  reference: DOCS.functions,
  kind: 'silent',
  check: ({ request }, { replayed }) => {
    const issued = new Map(replayed?.signed.map(({ signature, payload }) => [signature, payload]));
    return modelParts(request.contents).flatMap(({ part, path }) => {
      const payload = part.thoughtSignature === undefined ? undefined : issued.get(part.thoughtSignature);
      return payload === undefined || payload === signedPayload(part)
        ? []
        : [finding(path, 'This signature was given for another part.')];
    });
  },
};

export const earlierStepsSigned: GeminiRule = {
  id: 'GEM-KEEP-3',
  title: 'Calls of earlier turns keep their signatures too, for models that read them.',
  reference: DOCS.signatures,
  kind: 'silent',
  check: ({ request: { contents } }, { traits }) => {
    if (!traits.requiresSignatures || !traits.readsEarlierSignatures) return [];
    const start = runningTurnStart(contents);
    return modelRuns(contents).flatMap(({ calls: [first] }) =>
      first !== undefined && first.content < start && !contents[first.content]?.parts[first.part]?.thoughtSignature
        ? [
            finding(
              `contents[${first.content}]`,
              'A call of an earlier turn has no signature: the model does not recall why it was made.',
            ),
          ]
        : [],
    );
  },
};

export const noThoughtAsText: GeminiRule = {
  id: 'GEM-KEEP-4',
  title: 'The text of a thought does not go back as something that was said.',
  reference: DOCS.thinking,
  kind: 'silent',
  check: ({ request }, { replayed }) => {
    const thoughts = new Set(replayed?.thoughts);
    return modelParts(request.contents).flatMap(({ part, path }) =>
      part.thought !== true && part.text !== undefined && part.text !== '' && thoughts.has(part.text)
        ? [finding(path, 'A thought is sent as if it had been said.')]
        : [],
    );
  },
};

export const noUnsignedThoughts: GeminiRule = {
  id: 'GEM-KEEP-5',
  title: 'A thought without signature stays out: it is for reading, and the model makes nothing of it.',
  reference: DOCS.thinking,
  kind: 'silent',
  check: ({ request }) =>
    modelParts(request.contents).flatMap(({ part, path }) =>
      part.thought === true && part.thoughtSignature === undefined
        ? [finding(path, 'An unsigned thought is sent.')]
        : [],
    ),
};

function modelParts(contents: readonly WireContent[]): readonly { readonly part: WirePart; readonly path: string }[] {
  return contents.flatMap((content, index) =>
    isModel(content)
      ? content.parts.map((part, position) => ({ part, path: `contents[${index}].parts[${position}]` }))
      : [],
  );
}
