import { isPlainObject } from '@bough/core';
import { GENERATE_CONTENT } from '../fields.ts';
import type { MessageFields } from '../fields.ts';
import type { ShapeProblem, WireRequest } from '../wire.ts';
import { payloadOf } from '../wire.ts';
import type { GeminiRule } from './context.ts';
import { DOCS, finding, withContents } from './context.ts';
import { mapParts } from './turns.ts';

const problemsOf =
  (kind: ShapeProblem['kind']): GeminiRule['check'] =>
  ({ problems }) =>
    problems.filter((problem) => problem.kind === kind).map(({ path, message, status }) => ({ path, message, status }));

export const knownFields: GeminiRule = {
  id: 'GEM-SHAPE-1',
  title: 'Every field is one that the API knows.',
  reference: 'https://github.com/gera2ld/ai.nvim/issues/13',
  kind: 'rejection',
  check: problemsOf('unknown_field'),
  repair: ({ request, problems }) => ({
    // Only unknown fields are removed; those that the interface names keep their types and their order.
    request: withoutUnknown(request, GENERATE_CONTENT) as WireRequest,
    problems: problems.filter(({ kind }) => kind !== 'unknown_field'),
  }),
};

export const fieldTypes: GeminiRule = {
  id: 'GEM-SHAPE-2',
  title: 'Every field has its type; arguments and results of a function are objects.',
  reference: DOCS.reference,
  kind: 'rejection',
  check: problemsOf('wrong_type'),
};

export const onePayload: GeminiRule = {
  id: 'GEM-SHAPE-3',
  title: 'A part carries one payload.',
  reference: DOCS.reference,
  kind: 'rejection',
  check: problemsOf('two_payloads'),
};

/** A signed thought without text is accepted, as recorded traffic shows; any other part without payload is not. */
const isEmpty = (part: Readonly<Record<string, unknown>>): boolean =>
  payloadOf(part) === undefined && !(part['thought'] === true && part['thoughtSignature'] !== undefined);

export const partsWithPayload: GeminiRule = {
  id: 'GEM-SHAPE-4',
  title: 'A part has a payload.',
  reference: 'https://github.com/boldsoftware/sketch/issues/68',
  kind: 'rejection',
  check: ({ request }) =>
    request.contents.flatMap((content, index) =>
      content.parts.flatMap((part, partIndex) => {
        const path = `contents[${index}].parts[${partIndex}]`;
        const message = `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field\n`;
        return isEmpty(part) ? [finding(path, message)] : [];
      }),
    ),
  repair: (parsed) =>
    withContents(
      parsed,
      mapParts(parsed.request.contents, (part) => (isEmpty(part) ? null : part)),
    ),
};

export const contentsWithParts: GeminiRule = {
  id: 'GEM-SHAPE-5',
  title: 'A content has parts.',
  reference: 'https://github.com/router-for-me/CLIProxyAPI/issues/1292',
  kind: 'rejection',
  check: ({ request }) =>
    request.contents.flatMap((content, index) => {
      const path = `contents[${index}].parts`;
      const message = `* GenerateContentRequest.${path}: contents.parts must not be empty.\n`;
      return content.parts.length === 0 ? [finding(path, message)] : [];
    }),
  repair: (parsed) =>
    withContents(
      parsed,
      parsed.request.contents.filter((content) => content.parts.length > 0),
    ),
};

export const someContents: GeminiRule = {
  id: 'GEM-SHAPE-6',
  title: 'There is something to answer.',
  reference: DOCS.reference,
  kind: 'rejection',
  check: ({ request }) =>
    request.contents.length > 0
      ? []
      : [finding('contents', '* GenerateContentRequest.contents: contents is not specified\n')],
};

function withoutUnknown(value: Readonly<Record<string, unknown>>, fields: MessageFields): Record<string, unknown> {
  const known = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const type = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return type === undefined ? [] : [[name, clean(field, type)]];
  });
  return Object.fromEntries(known);
}

function clean(value: unknown, type: MessageFields[string]): unknown {
  if (typeof type === 'string') return value;
  if ('list' in type) return Array.isArray(value) ? value.map((item) => clean(item, type.list)) : value;
  if (!isPlainObject(value)) return value;
  if ('message' in type) return withoutUnknown(value, type.message());
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(item, type.map)]));
}
