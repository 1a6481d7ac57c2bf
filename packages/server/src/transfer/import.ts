import type { ImportLine, ImportReport as ImportReportView } from '@bough/api';
import type { Envelope } from '@bough/core';
import type { Deployment } from '@bough/providers';
import type { Store } from '@bough/store';
import type { FileKeeper, ImportReport } from '@bough/transfer';
import { importPath } from '@bough/transfer';

const PAUSE_MS = 150;

export interface Importing {
  readonly store: Store;
  readonly path: string;
  readonly temporaryDir: string;
  readonly maxUnpackedBytes: number;
  readonly envelope: Envelope;
  readonly onError: 'skip' | 'stop';
  readonly files: FileKeeper;
  readonly deployments: readonly Deployment[];
  readonly problemOf: (error: unknown) => { readonly code: string; readonly detail: string };
}

/** A hundred thousand conversations would be a line of megabytes. */
const MOST = 1_000;
const OUTCOMES = ['new', 'grown', 'unchanged'];

function reportView({ projects, problems, missingFiles, ...report }: ImportReport): ImportReportView {
  const count = (wanted: string): number => projects.filter(({ outcome }) => outcome === wanted).length;
  const rank = ({ outcome }: { readonly outcome: string }): number => OUTCOMES.indexOf(outcome);
  return {
    ...report,
    outcomes: { new: count('new'), grown: count('grown'), unchanged: count('unchanged') },
    projects: projects.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST),
    problems: problems.slice(0, MOST),
    missingFiles: missingFiles.slice(0, MOST),
  };
}

/** Imports a file, and tells how far it is; the last line is the report, or why there is none. */
export async function* importLines(
  { store, path, problemOf, ...options }: Importing,
  signal: AbortSignal,
  onEnd: () => Promise<void>,
): AsyncGenerator<readonly ImportLine[], void> {
  let lines: ImportLine[] = [];
  let wake: () => void = () => undefined;
  let hasEnded = false;
  let toldAt = 0;
  const tell = (line: ImportLine): void => {
    // Whoever reads slowly needs the newest state, not all of them.
    lines = line.type === 'progress' ? [line] : [...lines, line];
    wake();
  };
  const work = importPath(store, path, {
    ...options,
    signal,
    onConversation: (conversations, pass) => {
      const now = performance.now();
      if (now - toldAt < PAUSE_MS) return;
      toldAt = now;
      tell({ type: 'progress', pass, conversations });
    },
  })
    .then(
      (report) => tell({ type: 'report', report: reportView(report) }),
      (error: unknown) => tell({ type: 'error', ...problemOf(error) }),
    )
    .finally(() => {
      hasEnded = true;
      wake();
    });
  try {
    for (;;) {
      if (lines.length === 0 && !hasEnded)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const told = lines;
      lines = [];
      if (told.length > 0) yield told;
      else if (hasEnded) return;
    }
  } finally {
    // Where nobody reads any more, the signal has been given: the work ends at its next record.
    await work;
    await onEnd();
  }
}
