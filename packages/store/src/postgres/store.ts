import type { ProjectId } from '@bough/core';
import type { Store } from '../store.ts';
import { annotationMethods } from './annotations.ts';
import { blobMethods } from './blobs/index.ts';
import { branchMethods } from './branches.ts';
import { callMethods } from './calls/index.ts';
import { checkMethod } from './check.ts';
import type { Clock } from './clock.ts';
import type { Database } from './connection/pool.ts';
import { sweepReceipts } from './connection/receipts.ts';
import { contextMethods } from './conversation/context.ts';
import { foreignMethods } from './foreign.ts';
import { graphMethods } from './conversation/graph.ts';
import { historyMethods } from './conversation/history.ts';
import { openLog } from './log/index.ts';
import type { BackfillCount } from './maintenance/backfill.ts';
import { backfillProject } from './maintenance/backfill.ts';
import { appendMethods } from './nodes/append.ts';
import { deleteMethods } from './nodes/delete.ts';
import { nodeReads } from './nodes/read.ts';
import { projectMethods } from './projects.ts';
import { shelfMethods } from './shelf.ts';
import { searchMethods } from './search/index.ts';
import { indexLater } from './search/index-later.ts';
import { openSignals } from './signals/index.ts';
import { spendingMethods } from './spending.ts';
import { statisticsMethods } from './statistics.ts';
import { exportMethods } from './transfer/export.ts';
import { importMethods } from './transfer/import.ts';
import { trashMethods } from './trash/index.ts';
import { beginMethods } from './turns/begin.ts';
import { commitMethods } from './turns/commit-turn.ts';
import { leaseMethods } from './turns/leases.ts';
import { reopenMethods } from './turns/reopen.ts';
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
    await later.close();
    await log.settled();
    await signals.close();
    await sweepReceipts(database);
    await database.close();
  };
  const blobs = blobMethods(database, clock);
  const projects = projectMethods(database);
  const branches = branchMethods(database);
  const nodes = nodeReads(database);
  const annotations = annotationMethods(database);
  const later = indexLater(database, blobs);
  return {
    kind: 'postgres',
    close: () => (closing ??= close()),
    check: checkMethod(database),
    ...projects,
    ...branches,
    ...searchMethods(database, { blobs, ...projects, ...branches, ...nodes, ...annotations }, later),
    ...nodes,
    ...appendMethods(database, clock),
    ...deleteMethods(database),
    ...trashMethods(database),
    ...shelfMethods(database),
    ...foreignMethods(database),
    ...annotations,
    ...historyMethods(database),
    ...graphMethods(database),
    ...contextMethods(database),
    ...turnReads(database),
    ...beginMethods(database, clock),
    ...commitMethods(database, clock),
    ...leaseMethods(database, clock),
    ...reopenMethods(database, clock),
    ...callMethods(database),
    ...statisticsMethods(database),
    ...spendingMethods(database),
    appendLog: log.appendLog,
    readLog: log.readLog,
    dropLog: log.dropLog,
    publish: signals.publish,
    subscribe: signals.subscribe,
    ...exportMethods(database),
    ...importMethods(database, clock),
    blobs,
    backfillTurns: (project) => backfillProject(database, project),
    // Messages have had one form since there has been a database.
    upgradeProject: async (project, { dryRun }) => ({
      messages: [],
      ...(await backfillProject(database, project, dryRun)),
    }),
  };
}
