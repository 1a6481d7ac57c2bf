import { acceptedName } from '../request/message.ts';
import { isFunctionCall } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, objectsOf, stringOf, typeOf } from '../wire.ts';
import type { ResponsesBody, ResponsesRule } from './context.ts';
import { mapItems, placedItems, rejection } from './context.ts';

export const schemaHasProperties: ResponsesRule = {
  id: 'OAR-TOOL-1',
  title: 'The schema of an object names its properties, if only an empty set.',
  reference: 'https://github.com/everruns/everruns/pull/984',
  kind: 'rejection',
  check: (body) =>
    objectsOf(body['tools']).flatMap((tool, at) =>
      isBareObject(tool)
        ? [
            rejection(
              `tools[${at}].parameters`,
              `Invalid schema for function '${stringOf(tool['name']) ?? ''}': In context=(), object schema missing properties.`,
              'invalid_function_parameters',
            ),
          ]
        : [],
    ),
  repair: (body) => ({
    ...body,
    tools: objectsOf(body['tools']).map((tool) =>
      isBareObject(tool) ? { ...tool, parameters: { ...objectOf(tool['parameters']), properties: {} } } : tool,
    ),
  }),
};

function isBareObject(tool: WireItem): boolean {
  const parameters = objectOf(tool['parameters']);
  return typeOf(tool) === 'function' && parameters?.['type'] === 'object' && parameters['properties'] === undefined;
}

const NAME = /^[a-zA-Z0-9_-]+$/;

export const namesAreAccepted: ResponsesRule = {
  id: 'OAR-TOOL-2',
  title: 'Function names consist of letters, digits, underscores and dashes.',
  reference: 'https://github.com/CherryHQ/cherry-studio/pull/2895',
  kind: 'rejection',
  check: (body) =>
    badNames(body).map((path) =>
      rejection(
        `${path}.name`,
        `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        'invalid_value',
      ),
    ),
  // The name of an offered tool is not changed: the model would call it by a name that nobody knows.
  repair: (body) =>
    mapItems(body, (item) =>
      isFunctionCall(item) ? { ...item, name: acceptedName(stringOf(item['name']) ?? '') } : item,
    ),
};

const isBad = (item: WireItem): boolean => typeof item['name'] === 'string' && !NAME.test(item['name']);

function badNames(body: ResponsesBody): readonly string[] {
  return [
    ...objectsOf(body['tools']).flatMap((tool, at) =>
      typeOf(tool) === 'function' && isBad(tool) ? `tools[${at}]` : [],
    ),
    ...placedItems(body).flatMap(({ item, at }) => (isFunctionCall(item) && isBad(item) ? `input[${at}]` : [])),
  ];
}
