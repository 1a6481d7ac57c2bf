import { useT } from '../../i18n/index.ts';
import type { Attachments } from '../../session/attachments.ts';
import { Problem } from '../problem.tsx';

/** Why a message was not sent with its files: for as long as that is so. */
export function HoldUp({ isBusy, hasFailed }: Pick<Attachments, 'isBusy' | 'hasFailed'>) {
  const t = useT();
  return isBusy || hasFailed ? <Problem message={t(isBusy ? 'files.waiting' : 'files.failed')} /> : null;
}
