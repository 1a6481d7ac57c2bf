import type { ApprovalPolicy, McpServerListView } from '@bough/api';
import type { ApprovalRules, ToolBox } from '@bough/engine';
import { approvalRuleOf } from '@bough/engine';
import type { Config, PageFile, PageSettings } from '../config/index.ts';
import { without } from './kept-values.ts';
import { requireOpen, setInFile } from './refusals.ts';

export type RuledTool = McpServerListView['builtIn'][number];

export interface ApprovalSettings {
  /** The file's rules, then the page's: where a rule of the file says something about a tool, it decides. */
  readonly layers: () => readonly ApprovalRules[];
  readonly rules: () => McpServerListView['rules'];
  /** The tools of one source, each with the rule that decides about it. */
  readonly toolsOf: (source: string, tools: ToolBox) => RuledTool[];
  readonly set: (pattern: string, policy: ApprovalPolicy | null) => void;
}

export function createApprovalSettings(config: Config, page: PageSettings): ApprovalSettings {
  const inFile: ApprovalRules = config.file.tools?.approval ?? {};
  const inPage = (): ApprovalRules => page.current().tools?.approval ?? {};
  const decisive = (names: readonly string[]): RuledTool['rule'] => {
    for (const [from, rules] of [
      ['file', inFile],
      ['page', inPage()],
    ] as const) {
      const pattern = approvalRuleOf(names, rules);
      const policy = pattern === null ? undefined : rules[pattern];
      if (pattern !== null && policy !== undefined) return { pattern, policy, from };
    }
    return null;
  };
  return {
    layers: () => [inFile, inPage()],
    rules: () => [
      ...Object.entries(inFile).map(([pattern, policy]) => ({ pattern, policy, from: 'file' as const })),
      ...Object.entries(inPage()).map(([pattern, policy]) => ({ pattern, policy, from: 'page' as const })),
    ],
    toolsOf: (source, tools) =>
      tools
        .list()
        .filter((tool) => tool.source === source && tool.available)
        .map(({ name, ruleName, description, approval }) => ({
          name,
          ruleName,
          description,
          approval,
          rule: decisive([name, ruleName]),
        })),
    set: (pattern, policy) => {
      requireOpen(config);
      if (Object.hasOwn(inFile, pattern)) throw setInFile(`The rule "${pattern}"`, config);
      page.change((file: PageFile) => {
        const others = without(file.tools?.approval ?? {}, pattern);
        const rule = policy === null ? [] : [[pattern, policy] as const];
        return { ...file, tools: { approval: Object.fromEntries([...Object.entries(others), ...rule]) } };
      });
    },
  };
}
