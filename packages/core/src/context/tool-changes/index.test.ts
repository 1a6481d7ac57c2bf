import { sketch } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import type { ToolDefinition, TreeNode } from '../../entities/index.ts';
import { nodeId } from '../../entities/index.ts';
import { createNode } from '../../tree/node.ts';
import { assembleContext } from '../assemble.ts';
import { CLAUDE, outline, reportOf } from '../testing.ts';

const tool = (name: string, description = ''): ToolDefinition => ({ name, description, inputSchema: {} });
const [ADD, CLOCK] = [tool('add'), tool('clock')];

function change(id: string, before: readonly ToolDefinition[], after: readonly ToolDefinition[]): TreeNode {
  const [node] = sketch(`${id} system: x`);
  if (node === undefined) throw new Error('The sketch is empty.');
  return createNode({ ...node, id: nodeId(id), contentBlocks: [{ type: 'tool-change', before, after }] });
}

const BEFORE = sketch('u1 user: a\na1 assistant claude/opus: b');
const AFTER = sketch('u2 user: c');
const IN_PLACE = { ...CLAUDE, systemInPlace: true, toolChanges: true };

describe('tool-changes', () => {
  it('CX-56: the request begins with the tools that it began with, and tells the change where it counts', () => {
    const path = [...BEFORE, change('s1', [ADD], [ADD, CLOCK]), ...AFTER];
    const context = assembleContext(path, { ...IN_PLACE, tools: [ADD, CLOCK] });
    expect(context.tools).toEqual([ADD]);
    expect(outline(context)[2]).toBe('canonical | system: tool-change');
    const whole = assembleContext(BEFORE, { ...IN_PLACE, tools: [ADD] });
    expect(assembleContext(path, { ...IN_PLACE, tools: [ADD, CLOCK] }).prefixes.get(nodeId('a1'))).toBe(
      whole.prefixes.get(nodeId('a1')),
    );
  });

  it.each<[string, readonly TreeNode[], readonly ToolDefinition[]]>([
    ['a tool is defined differently today', [change('s1', [ADD], [CLOCK])], [tool('clock', 'new')]],
    ['the branch has other tools', [change('s1', [ADD], [CLOCK])], [ADD]],
    ['two changes do not follow each other', [change('s1', [ADD], [CLOCK]), change('s2', [ADD], [])], []],
    ['it began without tools', [change('s1', [], [ADD])], [ADD]],
  ])('CX-57: where %s, the tools of today are sent from the beginning', (_, changes, tools) => {
    const context = assembleContext([...BEFORE, ...changes, ...AFTER], { ...IN_PLACE, tools });
    expect(context.tools).toBe(tools);
    expect(outline(context)).toHaveLength(3);
    expect(reportOf(context).every((line) => line.endsWith(': verbatim'))).toBe(true);
  });

  it('CX-57: so it is for a model that does not take such changes', () => {
    const path = [...BEFORE, change('s1', [ADD], [CLOCK]), ...AFTER];
    const context = assembleContext(path, { ...IN_PLACE, toolChanges: false, tools: [CLOCK] });
    expect(context.tools).toEqual([CLOCK]);
    expect(outline(context)).toHaveLength(3);
  });
});
