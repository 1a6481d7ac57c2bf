import { isPlainObject } from '@bough/core';
import type { Body } from '../wire.ts';
import { messagesOf, textOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { finding } from './context.ts';
import { without } from './repair.ts';

const NAME_PATTERN = '^[a-zA-Z0-9_-]{1,128}$';
const NAME = new RegExp(NAME_PATTERN);
const isName = (name: unknown) => typeof name === 'string' && NAME.test(name);

/** The tools that the client runs; the provider's own have a `type` and their own rules. */
function clientTools(body: Body): readonly { readonly tool: Body; readonly path: string }[] {
  const tools: unknown = body['tools'];
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return list.flatMap((tool, index) =>
    isPlainObject(tool) && (tool['type'] === undefined || tool['type'] === null || tool['type'] === 'custom')
      ? [{ tool, path: `tools.${index}.custom` }]
      : [],
  );
}

const plainNames: ClaudeRule = {
  id: 'ANT-TOOL-1',
  title: 'The name of a tool consists of letters, digits, underscores and hyphens.',
  reference: 'https://github.com/home-assistant/core/issues/147760',
  kind: 'rejection',
  check: (body) => [
    ...clientTools(body)
      .filter(({ tool }) => !isName(tool['name']))
      .map(({ path }) => finding(`${path}.name`, `${path}.name: String should match pattern '${NAME_PATTERN}'`)),
    ...messagesOf(body)
      .flatMap((message) => message.blocks)
      .filter((block) => block.type === 'tool_use' && !isName(textOf(block, 'name')))
      .map(({ path }) =>
        finding(`${path}.tool_use.name`, `${path}.tool_use.name: String should match pattern '${NAME_PATTERN}'`),
      ),
  ],
};

const uniqueNames: ClaudeRule = {
  id: 'ANT-TOOL-2',
  title: 'No two tools share a name.',
  reference: 'https://github.com/danny-avila/LibreChat/issues/13162',
  kind: 'rejection',
  check: (body) => {
    const tools: unknown = body['tools'];
    const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
    const names = list.flatMap((tool) =>
      isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
    );
    return new Set(names).size === names.length ? [] : [finding('tools', 'tools: Tool names must be unique.')];
  },
};

const COMPOSITION = ['oneOf', 'allOf', 'anyOf'];

const objectSchema: ClaudeRule = {
  id: 'ANT-TOOL-3',
  title: 'The schema of a tool is an object and composes nothing at its top level.',
  reference: 'https://github.com/anthropics/claude-code/issues/27337',
  kind: 'rejection',
  check: (body) =>
    clientTools(body).flatMap(({ tool, path }) => {
      const schema = tool['input_schema'];
      if (!isPlainObject(schema)) return [finding(`${path}.input_schema`, `${path}.input_schema: Field required`)];
      if (schema['type'] !== 'object') {
        return [finding(`${path}.input_schema.type`, `${path}.input_schema.type: Field required`)];
      }
      return COMPOSITION.some((key) => key in schema)
        ? [
            finding(
              `${path}.input_schema`,
              `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
            ),
          ]
        : [];
    }),
  // Wider than what the tool asks for; the tool's own validation still sees every call.
  repair: (body) => {
    const tools: unknown = body['tools'];
    if (!Array.isArray(tools)) return body;
    const list: readonly unknown[] = tools;
    return {
      ...body,
      tools: list.map((tool) =>
        isPlainObject(tool) && isPlainObject(tool['input_schema'])
          ? { ...tool, input_schema: { ...without(tool['input_schema'], COMPOSITION), type: 'object' } }
          : tool,
      ),
    };
  },
};

const choiceNeedsTools: ClaudeRule = {
  id: 'ANT-TOOL-4',
  title: 'A tool choice is sent with tools only.',
  reference: 'https://github.com/dphnAI/sonar/pull/1143',
  kind: 'rejection',
  check: (body) => {
    const tools: unknown = body['tools'];
    return isPlainObject(body['tool_choice']) && !(Array.isArray(tools) && tools.length > 0)
      ? [finding('tool_choice', 'tool_choice: tool_choice may only be specified while providing tools')]
      : [];
  },
  repair: (body) => without(body, ['tool_choice']),
};

export const toolRules: readonly ClaudeRule[] = [plainNames, uniqueNames, objectSchema, choiceNeedsTools];
