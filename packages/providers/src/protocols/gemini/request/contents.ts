import type { NodeId } from '@bough/core';
import type { MessageJson } from '../../../render/body-text.ts';
import type { RenderedItem } from './fragments.ts';

/** One entry of `contents`, as the fragments that it consists of. */
export interface ContentDraft {
  readonly kind: RenderedItem['kind'];
  readonly fragments: readonly [RenderedItem, ...RenderedItem[]];
}

/**
 * Groups fragments into contents. Neighbours of the same role share a content. The responses to the calls of one
 * content share one, directly after it, in the order of the calls; what the user says next never joins them, because
 * newer models then refuse the request.
 */
export function groupContents(fragments: readonly RenderedItem[]): readonly ContentDraft[] {
  const contents: ContentDraft[] = [];
  for (const fragment of fragments) {
    if (fragment.kind === 'response') {
      placeResponse(contents, fragment);
      continue;
    }
    const last = contents.at(-1);
    if (last?.kind === fragment.kind) contents[contents.length - 1] = withFragment(last, fragment);
    else contents.push({ kind: fragment.kind, fragments: [fragment] });
  }
  return contents;
}

export function contentJson({ kind, fragments }: ContentDraft): MessageJson {
  const role = kind === 'model' ? 'model' : 'user';
  const parts = [...fragments.map(({ bytes }) => bytes), ...fragments.flatMap(({ behind }) => behind ?? [])];
  return { nodeId: fragments[0].nodeIds[0], json: `{"role":"${role}","parts":[${parts.join(',')}]}` };
}

export function nodeIdsOf({ fragments }: ContentDraft): readonly NodeId[] {
  return fragments.flatMap(({ nodeIds }) => nodeIds);
}

function placeResponse(contents: ContentDraft[], fragment: RenderedItem): void {
  const model = contents.findLastIndex(({ kind }) => kind === 'model');
  const existing = contents[model + 1];
  if (existing?.kind !== 'response') {
    contents.splice(model + 1, 0, { kind: 'response', fragments: [fragment] });
    return;
  }
  const order = contents[model]?.fragments.flatMap(({ calls }) => calls.map(({ callId }) => callId)) ?? [];
  const rank = ({ answers = '' }: RenderedItem): number => order.indexOf(answers);
  const [first, ...rest] = [...existing.fragments, fragment].sort((a, b) => rank(a) - rank(b));
  contents[model + 1] = { kind: 'response', fragments: [first ?? fragment, ...rest] };
}

function withFragment(content: ContentDraft, fragment: RenderedItem): ContentDraft {
  return { ...content, fragments: [...content.fragments, fragment] };
}
