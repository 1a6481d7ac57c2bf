import type { WireContent, WirePart } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { DOCS, finding, withContents } from './context.ts';
import { isModel, isResponseTurn, mapParts } from './turns.ts';

/** Inserted by Bough if the API requires the user to speak and the user did not. */
const GO_ON = 'Continue.';

/** `function` is an older name for the user content that holds responses; it is still accepted. */
const ROLES: ReadonlySet<string> = new Set(['user', 'model', 'function']);

const MODEL_ENDING = 'Requests ending with a model turn are not supported.';

export const validRoles: GeminiRule = {
  id: 'GEM-ROLE-1',
  title: 'The roles are user and model.',
  reference: DOCS.reference,
  kind: 'rejection',
  check: ({ request }) =>
    request.contents.flatMap(({ role }, index) =>
      role === undefined || ROLES.has(role)
        ? []
        : [finding(`contents[${index}].role`, 'Please use a valid role: user, model.')],
    ),
};

export const endsWithUser: GeminiRule = {
  id: 'GEM-ROLE-2',
  title: 'The last content is not the model’s, for models that do not continue their own words.',
  reference: 'https://github.com/LibreChat-AI/agents/pull/323',
  kind: 'rejection',
  check: ({ request: { contents } }, { traits }) =>
    traits.refusesModelEnding && isModel(contents.at(-1))
      ? [finding(`contents[${contents.length - 1}]`, MODEL_ENDING)]
      : [],
  repair: (parsed) => withContents(parsed, [...parsed.request.contents, { role: 'user', parts: [{ text: GO_ON }] }]),
};

const isResponse = (part: WirePart): boolean => part.functionResponse !== undefined;

/** Whether something other than a response follows a response. */
const hasTextBehindResponse = (content: WireContent): boolean => {
  const first = content.parts.findIndex(isResponse);
  return first >= 0 && content.parts.slice(first).some((part) => !isResponse(part));
};

export const responsesStandAlone: GeminiRule = {
  id: 'GEM-ROLE-3',
  title:
    'Nothing stands behind a function response in its own content, for models that read such a content as the model’s.',
  reference: 'https://github.com/google/oss-rebuild/pull/1559',
  kind: 'rejection',
  check: ({ request }, { traits }) =>
    request.contents.flatMap((content, index) =>
      traits.refusesModelEnding && isResponseTurn(content) && hasTextBehindResponse(content)
        ? [finding(`contents[${index}]`, MODEL_ENDING)]
        : [],
    ),
  repair: (parsed) => withContents(parsed, apart(parsed.request.contents)),
};

/** Moves what follows or separates responses into its own content, after all responses to the same calls. */
function apart(contents: readonly WireContent[]): readonly WireContent[] {
  const result: WireContent[] = [];
  let waiting: WirePart[] = [];
  for (const [index, content] of contents.entries()) {
    if (!isResponseTurn(content)) {
      result.push(content);
      continue;
    }
    result.push({ ...content, parts: content.parts.filter(isResponse) });
    waiting.push(...content.parts.filter((part) => !isResponse(part)));
    if (waiting.length > 0 && !isResponseTurn(contents[index + 1])) {
      result.push({ role: 'user', parts: waiting });
      waiting = [];
    }
  }
  return result;
}

/** Calls are the model's, responses the user's; everything else may be on either side. */
const isMisplaced = (content: WireContent | undefined, part: WirePart): boolean =>
  isModel(content) ? part.functionResponse !== undefined : part.functionCall !== undefined;

export const payloadsOfTheRightSide: GeminiRule = {
  id: 'GEM-ROLE-4',
  title: 'Calls are the model’s, responses the user’s.',
  reference: DOCS.functions,
  kind: 'rejection',
  check: ({ request }) =>
    request.contents.flatMap((content, index) => {
      if (!content.parts.some((part) => isMisplaced(content, part))) return [];
      const message = isModel(content)
        ? 'Please ensure that function response turn comes immediately after a function call turn.'
        : 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
      return [finding(`contents[${index}]`, message)];
    }),
  repair: (parsed) => {
    const { contents } = parsed.request;
    const kept = mapParts(contents, (part, index) => (isMisplaced(contents[index], part) ? null : part));
    return withContents(
      parsed,
      kept.filter(({ parts }) => parts.length > 0),
    );
  },
};
