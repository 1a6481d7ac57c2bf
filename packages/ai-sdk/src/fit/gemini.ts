import { GEMINI_SENTINELS, geminiTraitsOf } from '@bough/providers';
import { sealOf } from '../metadata/index.ts';
import type { AssistantPart, Outgoing } from '../prompt/parts.ts';
import { isCall } from '../prompt/parts.ts';
import type { ReportDraft } from '../report/index.ts';
import type { RequestDraft, Fit } from './request.ts';
import { askedToContinue, GO_ON, mapReplies } from './request.ts';

export const fitGemini: Fit = (draft, { model }, report) => {
  const traits = geminiTraitsOf(model);
  let fitted = mapReplies(draft, (content, out) => withoutThoughtTexts(content, out, report));
  fitted = beginningWithUser({ ...fitted, messages: joinNeighbours(fitted.messages) }, report);
  if (traits.requiresSignatures) fitted = withSkippedSignatures(fitted, report);
  return traits.refusesModelEnding ? askedToContinue(fitted, report) : fitted;
};

/** Gemini takes signatures back, not the summaries it showed: those would be read as something that was said. */
function withoutThoughtTexts(content: AssistantPart[], { from }: Outgoing, report: ReportDraft): AssistantPart[] {
  const kept = content.filter((part) => part.type !== 'reasoning' || sealOf(part.providerOptions) !== null);
  if (kept.length === content.length) return content;
  report.note(from, {
    reason: 'thought_summary_stays_out',
    fidelity: kept.length === 0 ? 'dropped' : 'verbatim',
  });
  return kept;
}

/** Neighbours of one side share a content: a call must come right after the user's content or the responses. */
function joinNeighbours(messages: readonly Outgoing[]): readonly Outgoing[] {
  const joined: Outgoing[] = [];
  for (const next of messages) {
    const last = joined.at(-1);
    const from = [...(last?.from ?? []), ...next.from];
    if (last?.message.role === 'assistant' && next.message.role === 'assistant') {
      const message = { ...last.message, content: [...last.message.content, ...next.message.content] };
      joined[joined.length - 1] = { message, from };
    } else if (last?.message.role === 'user' && next.message.role === 'user') {
      const message = { ...last.message, content: [...last.message.content, ...next.message.content] };
      joined[joined.length - 1] = { message, from };
    } else joined.push(next);
  }
  return joined;
}

/** A conversation whose beginning was cut off may start with a call, which must come after something the user said. */
function beginningWithUser(draft: RequestDraft, report: ReportDraft): RequestDraft {
  const first = draft.messages.findIndex(({ message }) => message.role !== 'system');
  const opener = draft.messages[first];
  if (opener?.message.role !== 'assistant' || !opener.message.content.some(isCall)) return draft;
  const detail = `the request began with a call, so the user says “${GO_ON}” before it`;
  report.note(opener.from, { reason: 'asked_to_continue', detail, fidelity: 'verbatim' });
  const asking: Outgoing = { message: { role: 'user', content: [{ type: 'text', text: GO_ON }] }, from: [] };
  return { ...draft, messages: draft.messages.toSpliced(first, 0, asking) };
}

/**
 * The first call of every step carries a signature. If it is lost, or another model made the call, the value that
 * Google documents for that case is sent instead: it says that there is none, and claims nothing.
 */
function withSkippedSignatures(draft: RequestDraft, report: ReportDraft): RequestDraft {
  const [sentinel] = GEMINI_SENTINELS;
  return mapReplies(draft, (content, { from }) => {
    const at = content.findIndex(isCall);
    const part = content[at];
    if (part === undefined || sentinel === undefined || sealOf(part.providerOptions)?.namespace === 'google') {
      return content;
    }
    report.note(from, { reason: 'signature_skipped', detail: 'the signature of its first call is not known' });
    const google = { ...part.providerOptions?.['google'], thoughtSignature: sentinel };
    return content.with(at, { ...part, providerOptions: { ...part.providerOptions, google } });
  });
}
