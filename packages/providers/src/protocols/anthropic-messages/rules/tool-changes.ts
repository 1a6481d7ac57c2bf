import { isPlainObject } from '@bough/core';
import type { Finding } from '../../../rulebook/rule.ts';
import { catalogueId } from '../models.ts';
import type { Body, WireBlock } from '../wire.ts';
import { blocksOf, isResult, listOf, messagesOf, textOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { coded, DOCS, finding } from './context.ts';
import { withoutBlocks, withoutEmptyMessages } from './repair.ts';

// Tools that come and go in the middle of a conversation while `tools` stays as it is.

/** The tools that are defined and those that are offered, at one place of the conversation. */
class Toolbox {
  readonly #kinds = new Map<string, string>();
  readonly #offered = new Set<string>();
  readonly #servers = new Set<string>();

  constructor(tools: readonly Body[]) {
    for (const tool of tools) this.define(tool, tool['defer_loading'] !== true);
  }

  define(tool: Body, isOffered = true): void {
    const { name, type, mcp_server_name: server } = tool;
    if (typeof server === 'string') this.#servers.add(server);
    if (typeof name !== 'string') return;
    this.#kinds.set(name, kindOf(type));
    if (isOffered) this.#offered.add(name);
    else this.#offered.delete(name);
  }

  /** Whether something of another kind is offered under the name of this tool. */
  isTaken({ name, type }: Body): boolean {
    const kind = typeof name === 'string' && this.#offered.has(name) ? this.#kinds.get(name) : undefined;
    return kind !== undefined && kind !== kindOf(type);
  }

  has(reference: Body): boolean {
    const { type, name, server_name: server } = reference;
    return type === 'tool_reference' ? this.#kinds.has(String(name)) : this.#servers.has(String(server));
  }

  offer({ type, name }: Body, isOffered: boolean): void {
    if (type !== 'tool_reference') return;
    if (isOffered) this.#offered.add(String(name));
    else this.#offered.delete(String(name));
  }
}

const kindOf = (type: unknown): string => (typeof type === 'string' ? type : 'custom');

const nameOf = ({ name, server_name: server }: Body): string => String(name ?? server);

/** Walks through the conversation and reports what does not fit where it stands. */
function follow(body: Body): readonly Finding[] {
  const box = new Toolbox(listOf(body['tools']));
  return messagesOf(body).flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === 'tool_addition' || block.type === 'tool_removal') return change(box, block);
      // What the summarised messages had changed.
      if (block.type === 'compaction') for (const entry of listOf(block.value['tool_changes'])) inherit(box, entry);
      return [];
    }),
  );
}

function inherit(box: Toolbox, { type, tool }: Body): void {
  if (!isPlainObject(tool)) return;
  if (isPlainObject(tool['definition'])) box.define(tool['definition']);
  else box.offer(tool, type === 'tool_addition');
}

function change(box: Toolbox, { type, value, path }: WireBlock): readonly Finding[] {
  const { tool } = value;
  if (!isPlainObject(tool)) return [finding(`${path}.tool`, `${path}.${type}.tool: Field required`)];
  const { definition } = tool;
  if (tool['type'] === 'tool_definition') {
    if (type === 'tool_removal' || !isPlainObject(definition)) {
      return [finding(`${path}.tool`, `${path}.${type}.tool: Input does not match the expected shape.`)];
    }
    const isTaken = box.isTaken(definition);
    box.define(definition);
    return isTaken
      ? [
          coded(
            'tool_name_conflict',
            path,
            `${path}: the name '${nameOf(definition)}' belongs to an available tool of another kind`,
          ),
        ]
      : [];
  }
  box.offer(tool, type === 'tool_addition');
  return box.has(tool)
    ? []
    : [
        coded(
          'tool_reference_unresolved',
          path,
          `${path}: '${nameOf(tool)}' is not defined in \`tools\` or by an earlier \`tool_addition\``,
        ),
      ];
}

const changesNameTools: ClaudeRule = {
  id: 'ANT-TOOL-5',
  title: 'A change of tools names a tool that is defined in `tools` or by an earlier change.',
  reference: DOCS.betaTypes,
  kind: 'rejection',
  check: (body) => follow(body).filter(({ errorCode }) => errorCode !== 'tool_name_conflict'),
};

const changesTakeNoName: ClaudeRule = {
  id: 'ANT-TOOL-6',
  title: 'A tool that is added does not take the name of an available tool of another kind.',
  reference: DOCS.betaTypes,
  kind: 'rejection',
  check: (body) => follow(body).filter(({ errorCode }) => errorCode === 'tool_name_conflict'),
};

const oneToolIsLoaded: ClaudeRule = {
  id: 'ANT-TOOL-7',
  title: 'At least one tool is not deferred.',
  reference: DOCS.toolSearch,
  kind: 'rejection',
  check: (body) => {
    const tools = listOf(body['tools']);
    return tools.length > 0 && tools.every((tool) => tool['defer_loading'] === true)
      ? [finding('tools', 'At least one tool must have defer_loading=false. All tools cannot be deferred.')]
      : [];
  },
};

/** The blocks that list tools which a search has found, each with the names. */
function foundTools(body: Body): readonly { readonly block: WireBlock; readonly names: readonly string[] }[] {
  return messagesOf(body).flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      const names = referencesIn(block).flatMap(({ type, tool_name: name }) =>
        type === 'tool_reference' && typeof name === 'string' ? [name] : [],
      );
      return names.length === 0 ? [] : [{ block, names }];
    }),
  );
}

function referencesIn(block: WireBlock): readonly Body[] {
  const content = block.value['content'];
  if (isResult(block)) return blocksOf(content, '').map(({ value }) => value);
  return block.type === 'tool_search_tool_result' && isPlainObject(content) ? listOf(content['tool_references']) : [];
}

function unknownReferences(body: Body): readonly { readonly block: WireBlock; readonly name: string }[] {
  const found = foundTools(body);
  if (found.length === 0) return [];
  const defined = [
    ...listOf(body['tools']),
    ...messagesOf(body).flatMap(({ blocks }) =>
      blocks.flatMap(({ value: { tool } }) =>
        isPlainObject(tool) && isPlainObject(tool['definition']) ? [tool['definition']] : [],
      ),
    ),
  ];
  const names = new Set(defined.map(({ name }) => name));
  return found.flatMap(({ block, names: wanted }) =>
    wanted.filter((name) => !names.has(name)).map((name) => ({ block, name })),
  );
}

const foundToolsAreDefined: ClaudeRule = {
  id: 'ANT-TOOL-8',
  title: 'Every tool that a search in the history has found is still defined.',
  reference: DOCS.toolSearch,
  kind: 'rejection',
  check: (body) =>
    unknownReferences(body).map(({ block, name }) =>
      finding(block.path, `Tool reference '${name}' not found in available tools`),
    ),
  // A search of the provider's own goes with its result; what a client's tool returned is not ours to change.
  repair: (body) => {
    const searches = unknownReferences(body).filter(({ block }) => !isResult(block));
    const ids = new Set(searches.map(({ block }) => textOf(block, 'tool_use_id')));
    return withoutEmptyMessages(
      withoutBlocks(
        body,
        (block) =>
          (block.type === 'server_tool_use' && ids.has(textOf(block, 'id'))) ||
          (block.type === 'tool_search_tool_result' && ids.has(textOf(block, 'tool_use_id'))),
      ),
    );
  },
};

const oneToolsetPerServer: ClaudeRule = {
  id: 'ANT-TOOL-9',
  title: 'Each MCP server has an https address and exactly one toolset.',
  reference: DOCS.mcp,
  kind: 'rejection',
  check: (body) => {
    const servers = listOf(body['mcp_servers']);
    const toolsets = listOf(body['tools']).filter((tool) => tool['type'] === 'mcp_toolset');
    const named = toolsets.map((tool) => tool['mcp_server_name']);
    return [
      ...servers.flatMap(({ name, url }, at) => [
        ...(typeof url === 'string' && url.startsWith('https://')
          ? []
          : [finding(`mcp_servers.${at}.url`, `mcp_servers.${at}.url: URL scheme should be 'https'`)]),
        ...(named.filter((other) => other === name).length === 1
          ? []
          : [
              finding(
                `mcp_servers.${at}`,
                `mcp_servers.${at}: MCP server '${String(name)}' must be referenced by exactly one mcp_toolset in tools`,
              ),
            ]),
      ]),
      ...named
        .filter((name) => !servers.some((server) => server['name'] === name))
        .map((name) =>
          finding('tools', `tools: mcp_toolset references MCP server '${String(name)}', which is not in mcp_servers`),
        ),
    ];
  },
};

const toolsOfTheModel: ClaudeRule = {
  id: 'ANT-TOOL-11',
  title: 'The model takes the provider’s own tools that are offered, and the model that advises it.',
  reference: DOCS.fable52,
  kind: 'rejection',
  check: (body, { traits: { refusedTools = [], advisors } }) =>
    listOf(body['tools']).flatMap(({ type, model }, at) => {
      if (refusedTools.includes(String(type))) {
        return [finding(`tools.${at}`, `tools.${at}: '${String(type)}' is not supported on this model`)];
      }
      const isRefused =
        type === 'advisor_20260301' && advisors !== undefined && !advisors.includes(catalogueId(String(model)));
      return isRefused
        ? [finding(`tools.${at}.model`, `tools.${at}.model: '${String(model)}' cannot advise this model`)]
        : [];
    }),
};

const advisorIsOffered: ClaudeRule = {
  id: 'ANT-TOOL-12',
  title: 'An advisor that was asked and has not answered is offered again.',
  reference: DOCS.advisor,
  kind: 'rejection',
  check: (body) => {
    const last = messagesOf(body).findLast(({ role }) => role === 'assistant')?.blocks ?? [];
    const isAnswered = ({ value }: WireBlock): boolean =>
      last.some((block) => block.value['tool_use_id'] === value['id']);
    const open = last.find(
      (block) => block.type === 'server_tool_use' && block.value['name'] === 'advisor' && !isAnswered(block),
    );
    const isOffered = listOf(body['tools']).some(({ name }) => name === 'advisor');
    return open === undefined || isOffered
      ? []
      : [finding(open.path, `${open.path}: \`advisor\` was called, but no \`advisor\` tool was provided`)];
  },
};

export const toolChangeRules: readonly ClaudeRule[] = [
  advisorIsOffered,
  changesNameTools,
  changesTakeNoName,
  oneToolIsLoaded,
  foundToolsAreDefined,
  oneToolsetPerServer,
  toolsOfTheModel,
];
