import { isBase64 } from '../schema.ts';
import { SKIP_SIGNATURE } from '../signature.ts';
import type { WireContent, WirePart } from '../wire.ts';
import { isServerToolPart } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { DOCS, finding, withContents } from './context.ts';
import type { PlacedCall } from './turns.ts';
import { isModel, mapParts, modelRuns, runningTurnStart } from './turns.ts';

export const base64Signatures: GeminiRule = {
  id: 'GEM-SIG-1',
  title: 'A signature is base64.',
  reference: 'https://github.com/decolua/9router/pull/450',
  kind: 'rejection',
  check: ({ problems }) =>
    problems
      .filter(({ kind }) => kind === 'bad_base64')
      .map(({ path, message, status }) => ({ path, message, status })),
  // A broken signature cannot be fixed; without it the part is plain, and a call gets the sentinel from the next rule.
  repair: ({ request, problems }) =>
    withContents(
      {
        request,
        problems: problems.filter(({ kind, path }) => kind !== 'bad_base64' || !path.endsWith('thought_signature')),
      },
      mapParts(request.contents, (part) => {
        const { thoughtSignature, ...rest } = part;
        return thoughtSignature === undefined || isBase64(thoughtSignature) ? part : rest;
      }),
    ),
};

/** The first call of each step that requires a signature and has none. */
function unsignedSteps(contents: readonly WireContent[]): readonly PlacedCall[] {
  const start = runningTurnStart(contents);
  return modelRuns(contents).flatMap(({ calls: [first] }) =>
    first !== undefined && first.content >= start && !contents[first.content]?.parts[first.part]?.thoughtSignature
      ? [first]
      : [],
  );
}

export const signedSteps: GeminiRule = {
  id: 'GEM-SIG-2',
  title: 'In the running turn, the first call of every step carries a signature.',
  reference: DOCS.signatures,
  kind: 'rejection',
  check: ({ request: { contents } }, { traits }) => {
    if (!traits.requiresSignatures) return [];
    return unsignedSteps(contents).map(({ content, part }) => {
      const name = contents[content]?.parts[part]?.functionCall?.name ?? '';
      return finding(
        `contents[${content}].parts[${part}]`,
        'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and ' +
          'missing thought_signature may lead to degraded model performance. Additional data, function call ' +
          `\`default_api:${name}\` , position ${content + 1}. Please refer to ${DOCS.signatures} for more details.`,
      );
    });
  },
  repair: (parsed) => {
    const { contents } = parsed.request;
    const unsigned = new Set(unsignedSteps(contents).map(({ content, part }) => `${content}.${part}`));
    return withContents(
      parsed,
      mapParts(contents, (part, content, position) =>
        unsigned.has(`${content}.${position}`) ? { ...part, thoughtSignature: SKIP_SIGNATURE } : part,
      ),
    );
  },
};

export const signedServerTools: GeminiRule = {
  id: 'GEM-SIG-3',
  title: 'A call of a tool that Google runs, and its result, each carry their own signature.',
  reference: 'https://github.com/BerriAI/litellm/pull/31115',
  kind: 'rejection',
  check: ({ request: { contents } }, { traits }) => {
    if (!traits.requiresSignatures) return [];
    return contents.flatMap((content, index) =>
      content.parts.flatMap((part, position) => {
        if (!isModel(content) || !isUnsigned(part)) return [];
        const path = `contents[${index}].parts[${position}]`;
        const kind = part['toolCall'] === undefined ? 'toolResponse' : 'toolCall';
        const message = `${path}: missing a thought_signature in ${kind} parts. Please refer to ${DOCS.signatures}.`;
        return [finding(path, message)];
      }),
    );
  },
  repair: (parsed) => {
    const kept = mapParts(parsed.request.contents, (part) => (isUnsigned(part) ? null : part));
    return withContents(
      parsed,
      kept.filter(({ parts }) => parts.length > 0),
    );
  },
};

const isUnsigned = (part: WirePart): boolean => isServerToolPart(part) && !part.thoughtSignature;
