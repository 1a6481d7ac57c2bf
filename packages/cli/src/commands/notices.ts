import type { ModelNoticeView } from '@bough/api';
import type { Terminal } from '../terminal/index.ts';

/** What is not known about the model of a new branch, next to the output: said once, where the branch is made. */
export function tellNotices(terminal: Pick<Terminal, 'warn'>, notices: readonly ModelNoticeView[]): void {
  for (const { message } of notices) terminal.warn(`${message}\n`);
}
