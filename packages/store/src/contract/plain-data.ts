import { expect } from 'vitest';
import type { ProjectRecord, Store, StoredContext } from '../store.ts';
import type { OpenedStore } from './harness.ts';

/**
 * A store whose results must be plain data that nobody changes: each is what its own JSON text says, and is frozen.
 * Anything that passes the contract only because an object is handed through (an `undefined`, a class, a shared
 * reference) fails here.
 */
export function asPlainData(inner: Store): Store {
  return {
    kind: inner.kind,
    check: call(inner.check),
    close: inner.close,
    createProject: call(inner.createProject),
    listProjects: call(inner.listProjects),
    findProjects: call(inner.findProjects),
    getProject: call(inner.getProject),
    updateProject: call(inner.updateProject),
    deleteProject: call(inner.deleteProject),
    createBranch: call(inner.createBranch),
    listBranches: call(inner.listBranches),
    branchFacts: call(inner.branchFacts),
    getBranch: call(inner.getBranch),
    updateBranch: call(inner.updateBranch),
    deleteBranch: call(inner.deleteBranch),
    moveTip: call(inner.moveTip),
    findNode: call(inner.findNode),
    findTrail: call(inner.findTrail),
    getNodes: call(inner.getNodes),
    path: call(inner.path),
    children: call(inner.children),
    findChild: call(inner.findChild),
    appendNodes: call(inner.appendNodes),
    deleteNode: call(inner.deleteNode),
    deleteTurn: call(inner.deleteTurn),
    listTrash: call(inner.listTrash),
    restoreTrash: call(inner.restoreTrash),
    purgeTrash: call(inner.purgeTrash),
    listDocuments: call(inner.listDocuments),
    getDocument: call(inner.getDocument),
    putDocument: call(inner.putDocument),
    foreignDocuments: call(inner.foreignDocuments),
    replaceForeign: call(inner.replaceForeign),
    annotations: call(inner.annotations),
    annotate: call(inner.annotate),
    setIncludeThinking: call(inner.setIncludeThinking),
    history: call(inner.history),
    graph: call(inner.graph),
    search: call(inner.search),
    readContext: async (...args) => plainContext(await inner.readContext(...args)),
    beginTurn: call(inner.beginTurn),
    getTurn: call(inner.getTurn),
    turnOfRequest: call(inner.turnOfRequest),
    nodesOfTurn: call(inner.nodesOfTurn),
    openTurns: call(inner.openTurns),
    commitTurn: call(inner.commitTurn),
    renewLeases: call(inner.renewLeases),
    claimExpiredTurns: call(inner.claimExpiredTurns),
    claimTurn: call(inner.claimTurn),
    releaseTurn: call(inner.releaseTurn),
    reopenTurn: call(inner.reopenTurn),
    callsOfTurn: call(inner.callsOfTurn),
    getRaw: call(inner.getRaw),
    statistics: call(inner.statistics),
    spending: call(inner.spending),
    appendLog: call(inner.appendLog),
    dropLog: call(inner.dropLog),
    readLog: call(inner.readLog),
    publish: call(inner.publish),
    subscribe: (listener) => inner.subscribe((signal) => listener(plain(signal))),
    exportProject: (project) => plainEach(inner.exportProject(project)),
    // Bytes cannot be JSON.
    blobs: inner.blobs,
    upgradeProject: call(inner.upgradeProject),
    importProject: inner.importProject,
    ...(inner.problems ? { problems: inner.problems } : {}),
    ...(inner.rewriteDerived ? { rewriteDerived: call(inner.rewriteDerived) } : {}),
  };
}

export function openAsPlainData(open: () => Promise<OpenedStore>): () => Promise<OpenedStore> {
  return async () => {
    const opened = await open();
    return {
      store: asPlainData(opened.store),
      reopen: async () => asPlainData(await opened.reopen()),
      dispose: opened.dispose,
    };
  };
}

const call =
  <Args extends readonly unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> =>
    plain(await method(...args));

function plain<T>(value: T): T {
  if (value !== undefined) expect(value).toStrictEqual(JSON.parse(JSON.stringify(value)));
  return frozen(value);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}

// Maps cannot be JSON; their entries can.
function plainContext(context: StoredContext): StoredContext {
  plain({ marks: context.marks, nodes: context.nodes, raws: [...context.raws] });
  plain([...context.renderings].map(([node, ofNode]) => [node, [...ofNode]]));
  return context;
}

async function* plainEach(records: AsyncIterable<ProjectRecord>): AsyncIterable<ProjectRecord> {
  for await (const record of records) yield plain(record);
}
