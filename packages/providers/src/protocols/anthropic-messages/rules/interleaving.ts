import { openLoop, thinkingMode } from '../wire.ts';
import type { ClaudeRule } from './context.ts';
import { DOCS, finding } from './context.ts';

const interleavingIsAskedFor: ClaudeRule = {
  id: 'ANT-LOSS-5',
  title: 'A model that thinks between tools only behind a header is asked to, in manual mode with tools.',
  reference: `${DOCS.manual}#interleaved-thinking`,
  kind: 'silent',
  check: (body, { traits, betas }) => {
    const asks = betas.some((beta) => beta.startsWith('interleaved-thinking-'));
    if (asks || traits.interleaves !== 'by_header' || thinkingMode(body, traits) !== 'manual') return [];
    const { tools } = body;
    if (!Array.isArray(tools) || tools.length === 0 || openLoop(body).length === 0) return [];
    return [
      finding('thinking', 'Without its beta header, the model does not think again after the tool results.', 200),
    ];
  },
};

export const interleavingRules: readonly ClaudeRule[] = [interleavingIsAskedFor];
