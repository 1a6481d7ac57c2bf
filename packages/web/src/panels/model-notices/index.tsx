import type { BranchView, ModelNoticeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import type { Translator } from '../../i18n/index.ts';
import { useT } from '../../i18n/index.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { dismissNotices, useNotices } from '../../session/notices.ts';
import { providersQuery } from '../../session/queries.ts';
import { formatNumber } from '../../view/format.ts';
import './model-notices.css';

interface ModelNoticesProps {
  readonly projectId: string;
  readonly branch: BranchView;
}

/** What is not known about the branch's model, where the branch was made. */
export function ModelNotices({ projectId, branch }: ModelNoticesProps) {
  const t = useT();
  const notices = useNotices(projectId, branch.name);
  const providers = useQuery(providersQuery);
  if (notices.length === 0) return null;
  const labelOf = (id: string): string => providers.data?.providers.find((each) => each.id === id)?.label ?? id;
  return (
    <div className="model-notices notice" role="status">
      <div className="model-notices-text">
        {notices.map((notice) => (
          <p key={notice.code}>{sentenceOf(notice, labelOf(notice.provider), t)}</p>
        ))}
      </div>
      <IconButton label={t('dialog.close')} onClick={() => dismissNotices(projectId, branch.name)}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}

function sentenceOf(notice: ModelNoticeView, provider: string, t: Translator): string {
  const { code, model, problem, assumed } = notice;
  if (code === 'list_unread') return t('model.unread', { provider, model, problem: problem ?? '' });
  const facts = assumed.map((fact) => factOf(fact, t)).join(t('model.fact.join'));
  return t('model.assumed', { model, facts });
}

function factOf(assumed: ModelNoticeView['assumed'][number], t: Translator): string {
  switch (assumed.fact) {
    case 'contextWindow':
    case 'maxOutputTokens':
      return t(`model.fact.${assumed.fact}`, { count: formatNumber(assumed.value, t.locale) });
    case 'thinking':
      return t(`model.fact.thinking.${assumed.value}`);
    case 'bindsThinkingToPrefix':
      return assumed.value ? t('model.fact.bound') : t('model.fact.unbound');
  }
}
