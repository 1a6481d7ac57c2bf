import { isPlainObject } from '@bough/core';
import type { World } from '../../world.ts';
import type { Refusal } from './history.ts';
import type { Block, Turn } from './turns.ts';
import { list } from './turns.ts';

// What a search found comes encrypted, and goes back that way.

const PURPOSE = 'anthropic search';

/** Carries its own proof: what was found before a restart is taken after it. */
export function sealed(claim: readonly unknown[], world: World): string {
  const text = JSON.stringify(claim);
  return Buffer.from(`${world.sign(PURPOSE, text)}.${text}`).toString('base64');
}

/** What a search found, and what a text cites of it, must come back as it was given. The sentence is not known. */
export function judgeFound(turns: readonly Turn[], world: World): Refusal | null {
  for (const { blocks } of turns) {
    for (const block of blocks) {
      const path = block.type === 'web_search_tool_result' ? judgePages(block, world) : judgeCitations(block, world);
      if (path !== null) return { rule: 'ANT-SIM-10', message: `${path}: Invalid encrypted content` };
    }
  }
  return null;
}

function judgePages({ value, path }: Block, world: World): string | null {
  const pages = list(value['content']).filter(isPlainObject);
  const at = pages.findIndex(({ url, title, encrypted_content: content }, place) => {
    return content !== sealed([value['tool_use_id'], place, pages.length, url, title], world);
  });
  return at < 0 ? null : `${path}.web_search_tool_result.content.${at}.encrypted_content`;
}

function judgeCitations({ type, value, path }: Block, world: World): string | null {
  if (type !== 'text') return null;
  const citations = list(value['citations']).filter(isPlainObject);
  const at = citations.findIndex(({ type: kind, url, title, cited_text: cited, encrypted_index: index }) => {
    return kind === 'web_search_result_location' && index !== sealed(['cited', url, title, cited], world);
  });
  return at < 0 ? null : `${path}.text.citations.${at}.encrypted_index`;
}
