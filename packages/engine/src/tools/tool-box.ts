import type { ApprovalRules } from './approval.ts';
import { approvalFor, approvalRuleOf } from './approval.ts';
import { createArgumentCheck } from './arguments.ts';
import { BUILT_IN_TOOLS } from './builtin/index.ts';
import type { ToolLimits } from './run-tool.ts';
import { DEFAULT_TOOL_LIMITS, runTool } from './run-tool.ts';
import type { ListedTool, Tool, ToolBox } from './tool.ts';

/** Where tools come from besides the built-in ones: an MCP server, whose tools may come and go. */
export interface ToolSource {
  /** What its tools name as their source; absent if they name several. */
  readonly name?: string;
  readonly tools: () => readonly Tool[];
  readonly close: () => Promise<void>;
}

export interface ToolBoxOptions {
  /**
   * Rules and sources may change while the program runs: then they are given as functions. Of several sets of rules the
   * first one that says something about a tool decides.
   */
  readonly approval?: ApprovalRules | (() => readonly ApprovalRules[]);
  readonly limits?: Partial<ToolLimits>;
  readonly sources?: readonly ToolSource[] | (() => readonly ToolSource[]);
}

export function createToolBox(options: ToolBoxOptions = {}): ToolBox {
  const { approval = {}, sources: given = [] } = options;
  const rules = typeof approval === 'function' ? approval : () => [approval];
  const sources = typeof given === 'function' ? given : () => given;
  const limits = { ...DEFAULT_TOOL_LIMITS, ...options.limits };
  const check = createArgumentCheck();
  /**
   * Every definition ever seen: a tool whose server is down is still part of the prefix of the branches that use it.
   */
  const seen = new Map<string, Pick<Tool, 'definition' | 'source' | 'dottedName' | 'asks'>>();
  const current = (): ReadonlyMap<string, Tool> => {
    const tools = [...BUILT_IN_TOOLS, ...sources().flatMap((source) => source.tools())];
    for (const tool of tools) seen.set(tool.definition.name, tool);
    return new Map(tools.map((tool) => [tool.definition.name, tool]));
  };
  const approvalOf = (name: string) => {
    const known = seen.get(name);
    const names = known?.dottedName === undefined ? [name] : [name, known.dottedName];
    const decisive = rules().find((layer) => approvalRuleOf(names, layer) !== null);
    return approvalFor(names, known?.source === 'built-in' && known.asks !== true, decisive ?? {});
  };

  /** A server that was removed takes its tools with it, as it would with the next start. */
  const isKnown = (source: string): boolean =>
    source === 'built-in' || sources().some(({ name }) => name === undefined || name === source);

  return {
    list: () => {
      const available = current();
      const known = [...seen.entries()].filter(([, { source }]) => isKnown(source));
      return known.map(([name, { definition, source, dottedName }]): ListedTool => ({
        name,
        ruleName: dottedName ?? name,
        description: definition.description,
        approval: approvalOf(name),
        source,
        available: available.has(name),
      }));
    },
    definitions: (names) => {
      current();
      return names.flatMap((name) => seen.get(name)?.definition ?? []);
    },
    approvalOf: (name) => {
      current();
      return approvalOf(name);
    },
    run: (call, context) => runTool(current().get(call.name), call, context, check, limits),
    close: async () => {
      await Promise.all(sources().map((source) => source.close()));
    },
  };
}
