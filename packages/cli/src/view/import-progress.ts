import type { ImportOptions, ImportPass } from '@bough/transfer';
import type { ExitCode } from '../command.ts';
import { INTERRUPTED } from '../command.ts';
import type { Terminal } from '../terminal/index.ts';
import { printJson, startProgress } from '../terminal/index.ts';

const LABELS: Readonly<Record<ImportPass, string>> = { checking: 'Checking', writing: 'Writing' };

/** How far an import is, and in which of its passes; and what is said when it is interrupted. */
export function showImport(
  terminal: Terminal,
  { passes, dryRun }: { readonly passes: 1 | 2; readonly dryRun: boolean },
): {
  readonly options: Required<Pick<ImportOptions, 'onBytes' | 'onConversation'>>;
  readonly end: () => void;
  readonly interrupted: (json: boolean) => ExitCode;
} {
  const progress = startProgress(terminal, 'Reading', null);
  const read: Record<ImportPass, number> = { checking: 0, writing: 0 };
  let place: { readonly bytes: number; readonly total: number | null } = { bytes: 0, total: null };
  const tell = (pass: ImportPass): void => {
    const label = passes === 1 ? LABELS[pass] : `${LABELS[pass]} (${pass === 'checking' ? 1 : 2} of 2)`;
    progress.begin(label, place.total);
    progress.update(place.bytes, `${read[pass]} conversation(s)`);
  };
  // Whatever is being written is finished or given up first: that may take a moment.
  const answer = (): void => {
    progress.end();
    terminal.warn('Stopping …\n');
  };
  terminal.signal.addEventListener('abort', answer, { once: true });
  return {
    options: {
      onBytes: (bytes, total, pass) => {
        place = { bytes, total };
        tell(pass);
      },
      onConversation: (count, pass) => {
        read[pass] = count;
        tell(pass);
      },
    },
    end: () => {
      terminal.signal.removeEventListener('abort', answer);
      progress.end();
    },
    interrupted: (json) => {
      const imported = read.writing;
      const message =
        dryRun || imported === 0
          ? 'Interrupted. Nothing was imported.'
          : `Interrupted. ${imported} conversation(s) were imported whole; import again to bring the rest.`;
      if (json) printJson(terminal, { error: { code: 'interrupted', message, imported } });
      else terminal.warn(`${message}\n`);
      return INTERRUPTED;
    },
  };
}
