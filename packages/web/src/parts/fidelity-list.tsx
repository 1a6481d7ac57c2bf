import { useT } from '../i18n/later/index.ts';
import { excerptOf } from '../view/excerpt.ts';
import { formatNumber } from '../view/format.ts';
import { reasonText } from '../view/reasons.ts';
import type { ReportLine } from '../view/switch-preview.ts';
import { NEXT_MESSAGE } from '../view/switch-preview.ts';
import './fidelity.css';

/** How each message is sent: its mark, who made it, the reason, and its size. */
export function FidelityList({
  lines,
  onChoose,
  picked,
  onPick,
}: {
  readonly lines: readonly ReportLine[];
  readonly onChoose?: (nodeId: string) => void;
  /** While messages are picked: those that are. */
  readonly picked?: ReadonlySet<string> | undefined;
  readonly onPick?: (nodeId: string, isPicked: boolean) => void;
}) {
  const t = useT();
  return (
    <ul className="fidelity-list">
      {lines.map((line) => {
        const content = (
          <>
            <span
              className="fidelity-mark"
              data-fidelity={line.fidelity}
              role="img"
              aria-label={t(`fidelity.${line.fidelity}`)}
            />
            <span className="fidelity-text">
              <span className="fidelity-excerpt">
                <b>{line.nodeId === NEXT_MESSAGE ? t('context.next') : t(`role.${line.role}`)}</b>{' '}
                {excerptOf(line.excerpt)}
              </span>
              {line.reasons.length === 0 ? null : (
                <small>{line.reasons.map((reason) => reasonText(reason, t)).join(t('reasons.separator'))}</small>
              )}
            </span>
            <span className="fidelity-tokens">{formatNumber(line.estimatedTokens, t.locale)}</span>
          </>
        );
        return (
          <li key={line.nodeId}>
            {picked !== undefined && canBePicked(line) ? (
              <label className="fidelity-row">
                <input
                  type="checkbox"
                  checked={picked.has(line.nodeId)}
                  onChange={(event) => onPick?.(line.nodeId, event.currentTarget.checked)}
                />
                {content}
              </label>
            ) : onChoose === undefined || line.nodeId === NEXT_MESSAGE ? (
              <div className="fidelity-row">{content}</div>
            ) : (
              <button type="button" className="fidelity-row" onClick={() => onChoose(line.nodeId)}>
                {content}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Instructions are changed on the branch, and the next message is not there yet. */
const canBePicked = ({ nodeId, role }: ReportLine): boolean => nodeId !== NEXT_MESSAGE && role !== 'system';
