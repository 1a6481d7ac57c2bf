import { acceptedName } from '../request/message.ts';
import { isFunctionCall } from '../items.ts';
import type { WireItem } from '../wire.ts';
import { objectOf, objectsOf, stringOf, typeOf } from '../wire.ts';
import type { ResponsesBody, ResponsesRule } from './context.ts';
import { mapItems, placedItems, rejection } from './context.ts';

/** A tool with its place. Tools also stand in namespaces, and in items that add some from there on. */
interface OfferedTool {
  readonly tool: WireItem;
  readonly path: string;
  readonly namespace: string | null;
}

function offeredTools(body: ResponsesBody): readonly OfferedTool[] {
  return [
    ...toolsIn(body, 'tools', null),
    ...placedItems(body).flatMap(({ item, at }) => (addsTools(item) ? toolsIn(item, `input[${at}].tools`, null) : [])),
  ];
}

const addsTools = (item: WireItem): boolean => typeOf(item) === 'additional_tools';

function toolsIn(holder: WireItem, path: string, namespace: string | null): readonly OfferedTool[] {
  return objectsOf(holder['tools']).flatMap((tool, at): readonly OfferedTool[] =>
    typeOf(tool) === 'namespace'
      ? toolsIn(tool, `${path}[${at}].tools`, stringOf(tool['name']) ?? null)
      : [{ tool, path: `${path}[${at}]`, namespace }],
  );
}

/** The holder with each of its tools changed, those in namespaces too. */
function mapTools(holder: WireItem, change: (tool: WireItem) => WireItem): WireItem {
  if (!Array.isArray(holder['tools'])) return holder;
  const tools = objectsOf(holder['tools']);
  return {
    ...holder,
    tools: tools.map((tool) => (typeOf(tool) === 'namespace' ? mapTools(tool, change) : change(tool))),
  };
}

export const schemaHasProperties: ResponsesRule = {
  id: 'OAR-TOOL-1',
  title: 'The schema of an object names its properties, if only an empty set.',
  reference: 'https://github.com/everruns/everruns/pull/984',
  kind: 'rejection',
  check: (body) =>
    offeredTools(body)
      .filter(({ tool }) => isBareObject(tool))
      .map(({ tool, path }) =>
        rejection(
          `${path}.parameters`,
          `Invalid schema for function '${stringOf(tool['name']) ?? ''}': In context=(), object schema missing properties.`,
          'invalid_function_parameters',
        ),
      ),
  repair: (body) =>
    mapItems(mapTools(body, withProperties), (item) => (addsTools(item) ? mapTools(item, withProperties) : item)),
};

function isBareObject(tool: WireItem): boolean {
  const parameters = objectOf(tool['parameters']);
  return typeOf(tool) === 'function' && parameters?.['type'] === 'object' && parameters['properties'] === undefined;
}

function withProperties(tool: WireItem): WireItem {
  return isBareObject(tool) ? { ...tool, parameters: { ...objectOf(tool['parameters']), properties: {} } } : tool;
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
    ...offeredTools(body).flatMap(({ tool, path }) => (typeOf(tool) === 'function' && isBad(tool) ? path : [])),
    ...placedItems(body).flatMap(({ item, at }) => (isFunctionCall(item) && isBad(item) ? `input[${at}]` : [])),
  ];
}

export const callHasItsNamespace: ResponsesRule = {
  id: 'OAR-LOSS-4',
  title: 'A call of a tool in a namespace names the namespace.',
  reference: 'https://github.com/openai/openai-node/blob/master/src/resources/responses/responses.ts',
  kind: 'silent',
  check: (body) => {
    const offered = offeredTools(body);
    const spaced = new Set(offered.filter(({ namespace }) => namespace !== null).map(({ tool }) => tool['name']));
    const plain = new Set(offered.filter(({ namespace }) => namespace === null).map(({ tool }) => tool['name']));
    return placedItems(body)
      .filter(({ item }) => isFunctionCall(item) || typeOf(item) === 'custom_tool_call')
      .filter(({ item }) => item['namespace'] == null && spaced.has(item['name']) && !plain.has(item['name']))
      .map(({ at }) => ({
        path: `input[${at}].namespace`,
        message: 'The call does not say in which namespace its tool is: the name alone is ambiguous.',
        status: 200,
      }));
  },
};
