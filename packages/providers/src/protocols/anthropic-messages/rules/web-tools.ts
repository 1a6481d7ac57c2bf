import type { Body } from '../wire.ts';
import { listOf } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

// Tools of the provider that look into the web.

const WEB_TOOL = /^web_(?:search|fetch)_(\d+)$/;
const dateOf = (pattern: RegExp, { type }: Body): number => Number(pattern.exec(String(type))?.[1] ?? 0);
const isWebTool = (tool: Body): boolean => dateOf(WEB_TOOL, tool) > 0;

const oneDomainList: ClaudeRule = {
  id: 'ANT-TOOL-10',
  title: 'A web tool allows domains or blocks them, not both.',
  reference: DOCS.serverTools,
  kind: 'rejection',
  check: (body) =>
    listOf(body['tools']).flatMap((tool, at) =>
      isWebTool(tool) && listsBoth(tool)
        ? [finding(`tools.${at}`, `tools.${at}: Only one of allowed_domains or blocked_domains may be set.`)]
        : [],
    ),
};

const listsBoth = ({ allowed_domains: allowed, blocked_domains: blocked }: Body): boolean =>
  Array.isArray(allowed) && Array.isArray(blocked);

const DOMAIN_LISTS = ['allowed_domains', 'blocked_domains'];

const domainsAreNamed: ClaudeRule = {
  id: 'ANT-TOOL-14',
  title: 'A list of domains is not empty: that could mean all of them, or none.',
  reference: DOCS.webRestrictions,
  kind: 'rejection',
  check: (body) =>
    listOf(body['tools']).flatMap((tool, at) =>
      DOMAIN_LISTS.filter((key) => isWebTool(tool) && Array.isArray(tool[key]) && tool[key].length === 0).map((key) => {
        const path = `tools.${at}.${key}`;
        return finding(path, `${path}: Empty list of domains is ambiguous. Provide at least one domain or null.`);
      }),
    ),
};

/** From here on, web tools run inside of code execution. */
const WEB_TOOLS_IN_CODE = 20_260_209;

const codeExecutionIsCurrent: ClaudeRule = {
  id: 'ANT-TOOL-13',
  title: 'Web tools that run inside of code execution stand beside a code execution of their own age.',
  reference: DOCS.serverTools,
  kind: 'rejection',
  check: (body) => {
    const tools = listOf(body['tools']);
    const isInCode = tools.some((tool) => dateOf(WEB_TOOL, tool) >= WEB_TOOLS_IN_CODE);
    return tools.flatMap((tool, at) => {
      const date = dateOf(/^code_execution_(\d+)$/, tool);
      return isInCode && date > 0 && date < WEB_TOOLS_IN_CODE
        ? [
            finding(
              `tools.${at}`,
              `tools.${at}: '${String(tool['type'])}' cannot be used with a web tool of this version`,
            ),
          ]
        : [];
    });
  },
};

const isCalledDirectly = ({ allowed_callers: callers }: Body): boolean =>
  Array.isArray(callers) && callers.length === 1 && callers[0] === 'direct';

const modelRunsPrograms: ClaudeRule = {
  id: 'ANT-TOOL-15',
  title: 'Web tools that code calls are offered to models whose code can call tools.',
  reference: DOCS.programmatic,
  kind: 'rejection',
  check: (body, { model, traits }) => {
    if (traits.runsPrograms !== false) return [];
    const names = listOf(body['tools'])
      .filter((tool) => dateOf(WEB_TOOL, tool) >= WEB_TOOLS_IN_CODE && !isCalledDirectly(tool))
      .map(({ name }) => String(name));
    const message =
      `'${model.id}' does not support programmatic tool calling. The following tools have \`allowed_callers\` that ` +
      `require it: ${names.join(', ')}. Explicitly set \`allowed_callers=["direct"]\` on these tools, or use a model ` +
      'that supports programmatic tool calling.';
    return names.length === 0 ? [] : [finding('tools', message)];
  },
};

export const webToolRules: readonly ClaudeRule[] = [
  oneDomainList,
  domainsAreNamed,
  codeExecutionIsCurrent,
  modelRunsPrograms,
];
