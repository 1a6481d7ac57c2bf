import type { WireCall, WireContent, WireResponse } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { finding, withContents } from './context.ts';
import type { Exchange } from './turns.ts';
import { exchangesOf, isModel, isResponseTurn, mapParts, modelRuns } from './turns.ts';

/** What the model is told if a conversation would otherwise begin with its own call. */
const BEFORE_FIRST = '(The beginning of this conversation is not included.)';

export const callsFollowUser: GeminiRule = {
  id: 'GEM-PAIR-1',
  title: 'What the model says with calls in it follows a user content or the responses to earlier calls.',
  reference: 'https://github.com/google-gemini/gemini-cli/issues/26486',
  kind: 'rejection',
  check: ({ request: { contents } }) =>
    modelRuns(contents)
      .filter(({ start, calls }) => start === 0 && calls.length > 0)
      .map(({ calls: [first] }) =>
        finding(
          `contents[${first?.content ?? 0}]`,
          'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        ),
      ),
  repair: (parsed) => {
    const opening: WireContent = { role: 'user', parts: [{ text: BEFORE_FIRST }] };
    return withContents(parsed, [opening, ...parsed.request.contents]);
  },
};

/** A response turn is in place directly after what the model said with its call, or after a part of the same answer. */
function isInPlace(contents: readonly WireContent[], index: number): boolean {
  let before = index - 1;
  while (isResponseTurn(contents[before])) before -= 1;
  return modelRuns(contents).some(({ end, calls }) => end === before && calls.length > 0);
}

export const responsesFollowCalls: GeminiRule = {
  id: 'GEM-PAIR-2',
  title: 'Responses stand directly behind the content with their calls.',
  reference: 'https://github.com/GoogleCloudPlatform/generative-ai/pull/368',
  kind: 'rejection',
  check: ({ request: { contents } }) =>
    contents.flatMap((content, index) =>
      isResponseTurn(content) && !isInPlace(contents, index)
        ? [
            finding(
              `contents[${index}]`,
              'Please ensure that function response turn comes immediately after a function call turn.',
            ),
          ]
        : [],
    ),
  repair: (parsed) => {
    const { contents } = parsed.request;
    const kept = mapParts(contents, (part, index) =>
      part.functionResponse !== undefined && !isModel(contents[index]) && !isInPlace(contents, index) ? null : part,
    );
    return withContents(
      parsed,
      kept.filter(({ parts }) => parts.length > 0),
    );
  },
};

export const everyCallAnswered: GeminiRule = {
  id: 'GEM-PAIR-3',
  title: 'Every call has exactly one response.',
  reference: 'https://github.com/google-gemini/gemini-cli/issues/16543',
  kind: 'rejection',
  check: ({ request }) =>
    exchangesOf(request.contents)
      .filter(({ calls, responses }) => calls.length !== responses.length)
      .map(({ index }) =>
        finding(
          `contents[${index}]`,
          'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        ),
      ),
  repair: (parsed) =>
    withContents(parsed, exchangesOf(parsed.request.contents).toReversed().reduce(completed, parsed.request.contents)),
};

/** Drops surplus responses and answers calls that have none, directly after the calls. */
function completed(contents: readonly WireContent[], { end, calls, responses }: Exchange): readonly WireContent[] {
  const surplus = new Set(responses.slice(calls.length).map(({ content, part }) => `${content}.${part}`));
  const missing = calls.slice(responses.length).map((call) => ({ functionResponse: noResult(call) }));
  const kept = mapParts(contents, (part, content, position) => (surplus.has(`${content}.${position}`) ? null : part));
  const last = responses.at(Math.min(responses.length, calls.length) - 1)?.content ?? end;
  const answer: readonly WireContent[] = missing.length === 0 ? [] : [{ role: 'user', parts: missing }];
  return [...kept.slice(0, last + 1), ...answer, ...kept.slice(last + 1)].filter(({ parts }) => parts.length > 0);
}

function noResult({ id, name }: WireCall): WireResponse {
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    response: { error: 'This tool call was not executed: it has no result.' },
  };
}

export const responsesNameTheirCall: GeminiRule = {
  id: 'GEM-PAIR-4',
  title: 'A response has the name of its call, and its id where the call has one.',
  reference: 'https://github.com/router-for-me/CLIProxyAPI/issues/5199',
  kind: 'rejection',
  check: ({ request }) =>
    exchangesOf(request.contents).flatMap(({ calls, responses }) =>
      responses.flatMap(({ response, content, part }, index) => {
        const path = `contents[${content}].parts[${part}].function_response`;
        if (response.name === undefined || response.name === '') {
          return [finding(`${path}.name`, `* GenerateContentRequest.${path}.name: Name cannot be empty.\n`)];
        }
        const call = matching(calls, response, index);
        if (call?.name === response.name) return [];
        return [
          finding(path, 'Request contains an invalid argument: functionResponse.id does not match functionCall.id.'),
        ];
      }),
    ),
  repair: (parsed) => {
    const { contents } = parsed.request;
    const right = new Map(
      exchangesOf(contents).flatMap(({ calls, responses }) =>
        responses.map(({ content, part }, index) => [`${content}.${part}`, calls[index]] as const),
      ),
    );
    return withContents(
      parsed,
      mapParts(contents, (part, content, position) => {
        const call = right.get(`${content}.${position}`);
        if (part.functionResponse === undefined || call === undefined) return part;
        const { id: _, name: __, ...rest } = part.functionResponse;
        const { id, name } = call;
        return {
          ...part,
          functionResponse: { ...(id !== undefined && { id }), ...(name !== undefined && { name }), ...rest },
        };
      }),
    );
  },
};

/** By id if both have one, otherwise by order. */
function matching(calls: readonly WireCall[], response: WireResponse, index: number): WireCall | undefined {
  if (response.id === undefined || calls.every((call) => call.id === undefined)) return calls[index];
  return calls.find((call) => call.id === response.id);
}
