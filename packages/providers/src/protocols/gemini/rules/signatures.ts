import { isBase64 } from '../schema.ts';
import { SKIP_SIGNATURE } from '../signature.ts';
import type { WireContent } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { DOCS, finding, withContents } from './context.ts';
import { isModel, mapParts, runningTurnStart } from './turns.ts';

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
function unsignedSteps(
  contents: readonly WireContent[],
): readonly { readonly content: number; readonly part: number }[] {
  const start = runningTurnStart(contents);
  return contents.flatMap((content, index) => {
    if (index < start || !isModel(content)) return [];
    const part = content.parts.findIndex(({ functionCall }) => functionCall !== undefined);
    return part >= 0 && !content.parts[part]?.thoughtSignature ? [{ content: index, part }] : [];
  });
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
