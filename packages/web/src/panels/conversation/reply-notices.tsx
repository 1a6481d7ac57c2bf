import type { Translator } from '../../i18n/index.ts';
import { useT } from '../../i18n/index.ts';
import type { ReplyNotice } from '../../view/reply-notices.ts';

/** What the reader should know about how the reply was made. */
export function ReplyNotices({
  notices,
  isLive,
}: {
  readonly notices: readonly ReplyNotice[];
  readonly isLive: boolean;
}) {
  const t = useT();
  return notices.map((notice) => (
    <p key={notice.code} className="notice reply-notice" role={isLive ? 'status' : undefined}>
      {textOf(t, notice)}
    </p>
  ));
}

/** Names stand between isolating marks: one in another script must not turn the sentence around. */
const listed = (names: readonly string[]): string => names.map((name) => `\u2068${name}\u2069`).join(', ');

function textOf(t: Translator, { code, message, brought = [], missing = [] }: ReplyNotice): string {
  switch (code) {
    case 'container_expired':
      return containerExpired(t, brought, missing);
    case 'container_files_gone':
    case 'compacted':
    case 'compaction_suggested':
      return t(`notice.${code}`);
    default:
      return message ?? code;
  }
}

function containerExpired(t: Translator, brought: readonly string[], missing: readonly string[]): string {
  if (brought.length + missing.length === 0) return t('notice.container_expired');
  return [
    brought.length > 0
      ? t('notice.container_expired.brought', { files: listed(brought) })
      : t('notice.container_expired.none'),
    ...(missing.length > 0 ? [t('notice.container_expired.missing', { files: listed(missing) })] : []),
  ].join(' ');
}
