import { isPlainObject } from '@bough/core';
import { summaryText } from '../../plan/facts.ts';
import type { World } from '../../world.ts';
import type { Refusal } from './history.ts';
import type { Block, Prefixes, Turn } from './turns.ts';
import { digest, list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * What the signature of a summary says. `ends` name what was summarised: a kept message that was made right after it
 * still follows it. Empty if the model does not preserve its thinking.
 */
interface Claim {
  readonly base: string;
  readonly ends: readonly string[];
  readonly content: string;
  readonly changes: string;
}

const PURPOSE = 'anthropic compaction';

/** The changes of tools that a summary stands for: the messages that made them are gone. */
function toolChanges(turns: readonly Turn[]): readonly unknown[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, value }) => {
      if (type === 'compaction') return list(value['tool_changes']);
      return type === 'tool_addition' || type === 'tool_removal' ? [{ type, tool: value['tool'] }] : [];
    }),
  );
}

/** The reply to a request for a summary: one block, signed. */
export function summaryOf(turns: readonly Turn[], prefixes: Prefixes, preserves: boolean, world: World): Json {
  const said = turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, value }) => {
      const words = type === 'text' ? value['text'] : type === 'compaction' ? value['content'] : null;
      return typeof words === 'string' ? [words] : [];
    }),
  );
  const content = `A summary of ${turns.length} turns, which began with: ${(said[0] ?? '').slice(0, 80)}\n${summaryText(said.join('\n'))}`;
  const changes = toolChanges(turns);
  const claim: Claim = {
    base: prefixes.base,
    ends: preserves ? prefixes.chains.flatMap((chain) => chain.at(-1) ?? []) : [],
    content: digest(content),
    changes: digest(changes),
  };
  const text = JSON.stringify(claim);
  return {
    type: 'compaction',
    content,
    encrypted_content: Buffer.from(digest([content, 'hidden'])).toString('base64'),
    signature: Buffer.from(`${world.sign(PURPOSE, text)}.${text}`).toString('base64'),
    ...(changes.length > 0 && { tool_changes: changes }),
  };
}

function readClaim(signature: string, world: World): Claim | null {
  const token = Buffer.from(signature, 'base64').toString('utf8');
  const end = token.indexOf('.');
  const text = token.slice(end + 1);
  if (end < 0 || world.sign(PURPOSE, text) !== token.slice(0, end)) return null;
  const claim: unknown = JSON.parse(text);
  if (!isPlainObject(claim)) return null;
  const { base, ends, content, changes } = claim;
  return { base: String(base), ends: list(ends).map(String), content: String(content), changes: String(changes) };
}

const isSigned = ({ type, value }: Block): boolean => type === 'compaction' && typeof value['signature'] === 'string';

export interface Summary {
  readonly refusal: Refusal | null;
  /** Where the chain of prefixes goes on for messages that were kept behind the summary. */
  readonly ends: readonly string[];
}

const NONE: Summary = { refusal: null, ends: [] };

/** Checks the summary with which a request begins, if it does. */
export function judgeSummary(turns: readonly Turn[], base: string, world: World): Summary {
  const block = turns[0]?.blocks[0];
  if (block === undefined || !isSigned(block)) return NONE;
  const { value, path } = block;
  const claim = readClaim(String(value['signature']), world);
  if (claim === null)
    return refused('compaction_signature_invalid', `${path}: Invalid \`signature\` in compaction block`);
  if (claim.content !== digest(value['content'])) {
    return refused('compaction_content_mismatch', `${path}: the content is not the one that was signed`);
  }
  if (claim.changes !== digest(list(value['tool_changes']))) {
    return refused('compaction_tool_changes_mismatch', `${path}: \`tool_changes\` are not those that were signed`);
  }
  return { refusal: null, ends: claim.base === base ? claim.ends : [] };
}

function refused(code: string, message: string): Summary {
  return { refusal: { rule: 'ANT-SIM-7', message, code }, ends: [] };
}
