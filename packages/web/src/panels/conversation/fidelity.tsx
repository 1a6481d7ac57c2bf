import type { BranchView } from '@bough/api/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createContext, useContext, useMemo } from 'react';
import { useT } from '../../i18n/index.ts';
import { useSettled } from '../../parts/settled.ts';
import { Explain } from '../../parts/tooltip.tsx';
import { contextReportQuery } from '../../session/queries.ts';
import { reasonText } from '../../view/reasons.ts';
import type { ReportLine } from '../../view/switch-preview.ts';
import '../../parts/fidelity.css';

const SETTLED_MS = 200;
const NOTHING: ReadonlyMap<string, ReportLine> = new Map();

/** What the next request of a branch would do with each of its messages. */
export interface NextRequest {
  readonly branch: BranchView | null;
  readonly lines: ReadonlyMap<string, ReportLine>;
}

/** Empty where no request is about to be made, for example where branches are compared. */
export const NextRequestContext = createContext<NextRequest>({ branch: null, lines: NOTHING });

interface FidelityProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /**
   * The messages are on the screen. Requesting this earlier would make a long conversation wait for the preview of its
   * own request.
   */
  readonly ready: boolean;
  /** The first and the last node that are loaded; null where the conversation begins and ends with what is loaded. */
  readonly from: string | null;
  readonly to: string | null;
  readonly children: ReactNode;
}

/**
 * Knows how each message would be sent with the next request. Waits while a turn runs: the answer would be stale on
 * arrival.
 */
export function Fidelity({ projectId, branch, ready, from, to, children }: FidelityProps) {
  // Who scrolls through pages needs only the marks of where they stop.
  const part = useSettled(`${from ?? ''} ${to ?? ''}`, SETTLED_MS);
  const [first, last] = part.split(' ');
  const context = useQuery({
    ...contextReportQuery(projectId, {
      ref: branch.id,
      ...(first === '' ? {} : { from: first }),
      ...(last === '' ? {} : { to: last }),
    }),
    placeholderData: keepPreviousData,
    // Not while it is still changing: it would be read for a part that is already left.
    enabled: ready && part === `${from ?? ''} ${to ?? ''}` && branch.runningTurnId === null && branch.tipId !== null,
    staleTime: 30_000,
  });
  const report = context.data?.report;
  const next = useMemo(
    () => ({
      branch,
      lines: report === undefined ? NOTHING : new Map(report.map((line) => [line.nodeId, line])),
    }),
    [branch, report],
  );
  return <NextRequestContext value={next}>{children}</NextRequestContext>;
}

/** How these nodes are sent, the least faithful of them first; the reason is shown on hover and focus. */
export function FidelityMark({ nodeIds }: { readonly nodeIds: readonly string[] }) {
  const t = useT();
  const { lines } = useContext(NextRequestContext);
  const own = nodeIds.flatMap((id) => lines.get(id) ?? []);
  const worst =
    own.find((line) => line.fidelity === 'dropped') ?? own.find((line) => line.fidelity === 'canonical') ?? own[0];
  if (worst === undefined) return null;
  const reasons = [...new Set(own.flatMap((line) => line.reasons))].map((reason) => reasonText(reason, t));
  const text = [t(`fidelity.${worst.fidelity}`), ...reasons].join(': ');
  return (
    <Explain text={text}>
      <span className="fidelity-hit" tabIndex={0} role="img" aria-label={text}>
        <span className="fidelity-mark" data-fidelity={worst.fidelity} />
      </span>
    </Explain>
  );
}
