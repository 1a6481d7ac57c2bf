import { isBlank } from '../prompt/parts.ts';
import type { Fit } from './request.ts';
import { mapReplies } from './request.ts';

/** Blank texts are refused by most providers; a reply that is nothing else is not sent. */
export const fitTexts: Fit = (draft, _target, report) =>
  mapReplies(draft, (content, { from }) => {
    if (!content.some(isBlank)) return content;
    const said = content.filter((part) => !isBlank(part));
    report.note(from, {
      reason: 'empty',
      detail: 'blank texts stay out',
      fidelity: said.length === 0 ? 'dropped' : 'canonical',
    });
    return said;
  });
