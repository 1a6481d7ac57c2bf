import type { Store } from '../../store.ts';

/** What the crash tests need to know about a back end to kill its writer. */
export interface CrashBackend {
  /** A module that calls `runCrashWriter` with this back end when it is started. */
  readonly writer: URL;
  /** A new, empty place for data. */
  readonly place: () => Promise<{ readonly location: string; readonly dispose: () => Promise<void> }>;
  readonly open: (location: string) => Promise<Store>;
  /** How often the writer is killed in an ordinary test run; the long run is `scripts/crash.mjs`. */
  readonly rounds?: number;
  /** Kills more than the writer: the database server too, for example. */
  readonly kill?: (writer: number) => void;
}
