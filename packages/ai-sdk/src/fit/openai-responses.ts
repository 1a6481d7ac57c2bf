import type { AssistantPart, Outgoing } from '../prompt/parts.ts';
import type { ReportDraft } from '../report/index.ts';
import { readStamp } from '../stamp/index.ts';
import { textAt } from '../metadata/index.ts';
import type { RequestDraft, Fit } from './request.ts';
import { mapReplies, optionsOf, withOptions } from './request.ts';

export const fitOpenaiResponses: Fit = (draft, _target, report) => {
  const fitted = withoutStore(draft, report);
  const stored = optionsOf(fitted.params, 'openai')['store'] !== false;
  return mapReplies(fitted, (content, out) => withWholeAtoms(content, stored, out, report));
};

/**
 * The AI SDK lets OpenAI store replies and then refers to them by id: a conversation that was made without storing, or
 * whose items have expired, is refused. Nothing is stored unless the caller says so; reasoning travels encrypted.
 */
function withoutStore(draft: RequestDraft, report: ReportDraft): RequestDraft {
  const { store, previousResponseId, conversation } = optionsOf(draft.params, 'openai');
  if (store !== undefined || previousResponseId != null || conversation != null) return draft;
  report.set({
    setting: 'openai.store',
    detail: 'false: replies are not kept at the provider, their reasoning goes back encrypted',
    loss: false,
  });
  return { ...draft, params: withOptions(draft.params, 'openai', { store: false }) };
}

/**
 * Reasoning and what follows it are one atom. Reasoning whose follower is missing, or that has no encrypted content
 * when nothing is stored, is left out, and what was generated with it is sent without its id.
 */
function withWholeAtoms(
  content: AssistantPart[],
  stored: boolean,
  { from }: Outgoing,
  report: ReportDraft,
): AssistantPart[] {
  const readable = new Set(
    content.flatMap((part) =>
      part.type === 'reasoning' && (stored || encryptedOf(part) !== null) ? [itemIdOf(part) ?? part] : [],
    ),
  );
  const kept = content.filter(
    (part, at) => part.type !== 'reasoning' || (readable.has(itemIdOf(part) ?? part) && hasFollower(content, at)),
  );
  if (kept.length === content.length) return content;
  report.note(from, {
    reason: 'thinking_not_replayable',
    detail: 'reasoning without its encrypted content, or without what it led to, stays out',
    fidelity: kept.length === 0 ? 'dropped' : 'canonical',
  });
  return kept.some((part) => part.type === 'reasoning') ? kept : kept.map(withoutItemId);
}

/** Whether the part that came next in the reply still follows the reasoning. Without stamps, any part will do. */
function hasFollower(content: readonly AssistantPart[], at: number): boolean {
  const next = content.findIndex((part, place) => place > at && part.type !== 'reasoning');
  const last = readStamp(content[next - 1]?.providerOptions);
  const follower = readStamp(content[next]?.providerOptions);
  return next >= 0 && (last === null || follower === null || follower.at === last.at + 1);
}

const itemIdOf = (part: AssistantPart): string | null => textAt(part.providerOptions, 'openai', 'itemId');

function encryptedOf(part: AssistantPart): string | null {
  return textAt(part.providerOptions, 'openai', 'reasoningEncryptedContent');
}

function withoutItemId(part: AssistantPart): AssistantPart {
  const openai = part.providerOptions?.['openai'];
  if (openai === undefined) return part;
  const { itemId: _, ...rest } = openai;
  return { ...part, providerOptions: { ...part.providerOptions, openai: rest } };
}
