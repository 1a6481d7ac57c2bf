import { textAt } from '../metadata/index.ts';
import type { AssistantPart } from '../prompt/parts.ts';
import { isBlank } from '../prompt/parts.ts';
import type { Fit } from './request.ts';
import { mapReplies } from './request.ts';

/**
 * Most providers refuse blank texts; a reply that contains nothing else is not sent. OpenAI's own items stay, blank or
 * not: reasoning goes back only with exactly the item that it led to.
 */
export const fitTexts: Fit = (draft, _target, report) =>
  mapReplies(draft, (content, { from }) => {
    const isRefused = (part: AssistantPart): boolean =>
      isBlank(part) && textAt(part.providerOptions, 'openai', 'itemId') === null;
    if (!content.some(isRefused)) return content;
    const said = content.filter((part) => !isRefused(part));
    report.note(from, {
      reason: 'empty',
      detail: 'blank texts stay out',
      fidelity: said.length === 0 ? 'dropped' : 'canonical',
    });
    return said;
  });
