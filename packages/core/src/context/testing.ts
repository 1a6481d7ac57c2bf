import { sketch } from '@bough/testkit';
import type { AssembledContext } from './assemble.ts';
import { assembleContext } from './assemble.ts';
import type { AssemblyOptions } from './assembly.ts';

export const CLAUDE: AssemblyOptions = {
  lock: { provider: 'claude', model: 'opus' },
  replayBy: 'issuer',
  systemPrompt: null,
  tools: [],
  hasRaw: () => true,
  limits: null,
  reserveTokens: 0,
  bindsThinkingToPrefix: false,
  replaysThinking: true,
  keepToolsAfterBreak: false,
  systemInPlace: false,
  toolChanges: false,
};

export function assemble(text: string, options: Partial<AssemblyOptions> = {}): AssembledContext {
  return assembleContext(sketch(text), { ...CLAUDE, ...options });
}

/** The items, one per line: source, flags, role, blocks. */
export function outline(context: AssembledContext): readonly string[] {
  return context.items.map(({ source, reasoning, partial, message, answeredCalls, synthetic, isError }) => {
    const flags = [
      source,
      reasoning === 'verbatim' ? 'thinking' : '',
      partial ? 'partial' : '',
      synthetic ? 'synthetic' : '',
      isError === true ? 'error' : '',
      answeredCalls.length > 0 ? `answers:${answeredCalls.join('+')}` : '',
    ];
    const blocks = message.content.map((block) => (block.type === 'text' ? JSON.stringify(block['text']) : block.type));
    const of = message.role === 'tool' ? `tool(${message.tool_call_id})` : message.role;
    return `${flags.filter((flag) => flag !== '').join(' ')} | ${of}: ${blocks.join(' ')}`;
  });
}

/** The report as `node: fidelity reasons`. */
export function reportOf(context: AssembledContext): readonly string[] {
  return context.report.map(({ nodeId, fidelity, reasons }) => [`${nodeId}: ${fidelity}`, ...reasons].join(' '));
}
