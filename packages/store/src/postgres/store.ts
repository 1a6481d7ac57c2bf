import type { ProjectId } from '@bough/core';
import type { Store } from '../store.ts';
import { branchMethods } from './branches.ts';
import { callMethods } from './calls/index.ts';
import { checkMethod } from './check.ts';
import type { Clock } from './clock.ts';
import type { Database } from './connection/pool.ts';
import { sweepReceipts } from './connection/receipts.ts';
import { contextMethods } from './conversation/context.ts';
import { graphMethods } from './conversation/graph.ts';
import { historyMethods } from './conversation/history.ts';
import { openLog } from './log/index.ts';
import type { BackfillCount } from './maintenance/backfill.ts';
import { backfillProject } from './maintenance/backfill.ts';
import { appendMethods } from './nodes/append.ts';
import { deleteMethods } from './nodes/delete.ts';
import { nodeReads } from './nodes/read.ts';
import { projectMethods } from './projects.ts';
import { openSignals } from './signals/index.ts';
import { statisticsMethods } from './statistics.ts';
import { exportMethods } from './transfer/export.ts';
import { importMethods } from './transfer/import.ts';
import { trashMethods } from './trash/index.ts';
import { beginMethods } from './turns/begin.ts';
import { commitMethods } from './turns/commit-turn.ts';
import { leaseMethods } from './turns/leases.ts';
import { turnReads } from './turns/read.ts';

export interface PostgresStore extends Store {
  readonly kind: 'postgres';
  readonly check: () => Promise<void>;
  /** Gives turns to nodes from before turns were stored. Idempotent. */
  readonly backfillTurns: (project: ProjectId) => Promise<BackfillCount>;
}

/** The store over a database that is connected and migrated. Closing it closes the database. */
export async function storeOver(database: Database, clock: Clock): Promise<PostgresStore> {
  const signals = await openSignals(database);
  const log = openLog(database);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await log.settled();
    await signals.close();
    await sweepReceipts(database);
    await database.close();
  };
  return {
    kind: 'postgres',
    close: () => (closing ??= close()),
    check: checkMethod(database),
    ...projectMethods(database),
    ...branchMethods(database),
    ...nodeReads(database),
    ...appendMethods(database),
    ...deleteMethods(database),
    ...trashMethods(database),
    ...historyMethods(database),
    ...graphMethods(database),
    ...contextMethods(database),
    ...turnReads(database),
    ...beginMethods(database, clock),
    ...commitMethods(database),
    ...leaseMethods(database, clock),
    ...callMethods(database),
    ...statisticsMethods(database),
    appendLog: log.appendLog,
    readLog: log.readLog,
    dropLog: log.dropLog,
    publish: signals.publish,
    subscribe: signals.subscribe,
    ...exportMethods(database),
    ...importMethods(database),
    backfillTurns: (project) => backfillProject(database, project),
    // Messages have had one form since there has been a database.
    upgradeProject: async (project, { dryRun }) => ({
      messages: [],
      ...(await backfillProject(database, project, dryRun)),
    }),
  };
}
