import type { ContextView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { reasonText } from '../../view/reasons.ts';

/** What was changed so that the provider accepts the request, and what else was noted. */
export function Repairs({ violations, notes }: Pick<ContextView, 'violations' | 'notes'>) {
  const t = useT();
  if (violations.length === 0 && notes.length === 0) return null;
  return (
    <section>
      <h3>{t('context.rules')}</h3>
      <ul className="repairs">
        {violations.map(({ rule, path, message, repaired }) => (
          <li key={`${rule} ${path}`}>
            <code>{rule}</code>{' '}
            <span className={repaired ? 'badge' : 'badge danger'}>
              {repaired ? t('context.repaired') : t('context.notRepaired')}
            </span>
            <p>
              {message} <code>{path}</code>
            </p>
          </li>
        ))}
        {notes.map(({ nodeId, reason, detail }) => (
          <li key={`${nodeId} ${reason} ${detail}`}>
            <p>
              {reasonText(reason, t)}: {detail}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
