import type { ApprovalRules } from './approval.ts';
import { approvalFor } from './approval.ts';
import { createArgumentCheck } from './arguments.ts';
import { BUILT_IN_TOOLS } from './builtin/index.ts';
import type { ToolLimits } from './run-tool.ts';
import { DEFAULT_TOOL_LIMITS, runTool } from './run-tool.ts';
import type { ListedTool, Tool, ToolBox } from './tool.ts';

/** Where tools come from besides the built-in ones: an MCP server, whose tools may come and go. */
export interface ToolSource {
  readonly tools: () => readonly Tool[];
  readonly close: () => Promise<void>;
}

export interface ToolBoxOptions {
  readonly approval?: ApprovalRules;
  readonly limits?: Partial<ToolLimits>;
  readonly sources?: readonly ToolSource[];
}

export function createToolBox(options: ToolBoxOptions = {}): ToolBox {
  const { approval = {}, sources = [] } = options;
  const limits = { ...DEFAULT_TOOL_LIMITS, ...options.limits };
  const check = createArgumentCheck();
  /**
   * Every definition ever seen: a tool whose server is down is still part of the prefix of the branches that use it.
   */
  const seen = new Map<string, Pick<Tool, 'definition' | 'source' | 'dottedName'>>();
  const current = (): ReadonlyMap<string, Tool> => {
    const tools = [...BUILT_IN_TOOLS, ...sources.flatMap((source) => source.tools())];
    for (const tool of tools) seen.set(tool.definition.name, tool);
    return new Map(tools.map((tool) => [tool.definition.name, tool]));
  };
  const approvalOf = (name: string) => {
    const known = seen.get(name);
    const names = known?.dottedName === undefined ? [name] : [name, known.dottedName];
    return approvalFor(names, known?.source === 'built-in', approval);
  };

  return {
    list: () => {
      const available = current();
      return [...seen.entries()].map(([name, { definition, source }]): ListedTool => ({
        name,
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
      await Promise.all(sources.map((source) => source.close()));
    },
  };
}
