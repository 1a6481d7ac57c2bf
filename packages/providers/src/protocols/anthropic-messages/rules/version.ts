import type { Body, WireBlock } from '../wire.ts';
import { messagesOf } from '../wire.ts';
import type { ClaudeRule, RuleContext } from './context.ts';
import { DOCS, finding, isSince } from './context.ts';
import { mapBlocks, without } from './repair.ts';

// What the version of the API that a request names has abolished. Earlier versions still take it.

const VERSION = '2026-10-21';

function blocksIn(body: Body, role: string, { version }: RuleContext): readonly WireBlock[] {
  if (!isSince(version, VERSION)) return [];
  return messagesOf(body).flatMap((message) => (message.role === role ? message.blocks : []));
}

const documentsAreTheUsers: ClaudeRule = {
  id: 'ANT-VER-1',
  title: 'A document does not stand directly in a message of the assistant.',
  reference: DOCS.version,
  kind: 'rejection',
  check: (body, context) =>
    blocksIn(body, 'assistant', context)
      .filter(({ type }) => type === 'document')
      .map(({ path }) => finding(path, `${path}: \`document\` blocks are not permitted in \`assistant\` messages`)),
};

const hasCitations = ({ type, citations }: Body): boolean =>
  type === 'text' && Array.isArray(citations) && citations.length > 0;

const usersCiteNothing: ClaudeRule = {
  id: 'ANT-VER-2',
  title: 'A text of the user carries no citations.',
  reference: DOCS.version,
  kind: 'rejection',
  check: (body, context) =>
    blocksIn(body, 'user', context)
      .filter(({ value }) => hasCitations(value))
      .map(({ path }) =>
        finding(
          `${path}.text.citations`,
          `${path}.text.citations: \`citations\` are not permitted in \`user\` messages`,
        ),
      ),
  repair: (body) =>
    mapBlocks(body, (block, role) => (role === 'user' && hasCitations(block) ? without(block, ['citations']) : block)),
};

export const versionRules: readonly ClaudeRule[] = [documentsAreTheUsers, usersCiteNothing];
