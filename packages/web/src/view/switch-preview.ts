import type { ContextView } from '@bough/api/client';

export type ReportLine = ContextView['report'][number];

/** Stands for the message that is not written yet: it is sent, but is not part of the history. */
export const NEXT_MESSAGE = 'next-message';

export interface SwitchPreview {
  readonly survives: number;
  readonly becomesText: number;
  readonly vanishes: number;
  readonly lines: readonly ReportLine[];
}

/** Counts what a switch does to the part of the history that the new branch inherits. */
export function previewOf(report: readonly ReportLine[], end: ForkPoint): SwitchPreview {
  const lines = inherited(report, end).filter((line) => line.nodeId !== NEXT_MESSAGE);
  const count = (fidelity: ReportLine['fidelity']): number => lines.filter((line) => line.fidelity === fidelity).length;
  return { survives: count('verbatim'), becomesText: count('canonical'), vanishes: count('dropped'), lines };
}

export interface ForkPoint {
  /** The last inherited node; the whole history if neither is given. */
  readonly fromNodeId?: string | undefined;
  /** A reply that is regenerated: everything up to the message that it answers is inherited. */
  readonly regenerateNodeId?: string | undefined;
}

function inherited(report: readonly ReportLine[], { fromNodeId, regenerateNodeId }: ForkPoint): readonly ReportLine[] {
  const at = report.findIndex((line) => line.nodeId === (regenerateNodeId ?? fromNodeId));
  if (at < 0) return report;
  if (regenerateNodeId === undefined) return report.slice(0, at + 1);
  const message = report.slice(0, at).findLastIndex((line) => line.role === 'user');
  return report.slice(0, message + 1);
}
