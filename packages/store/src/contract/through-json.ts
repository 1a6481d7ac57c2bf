import type { ProjectRecord, Store, StoredContext } from '../store.ts';
import type { OpenedStore } from './harness.ts';

/**
 * A store that writes every argument and every result as JSON text and parses it again. Anything that passes the
 * contract only because an object is handed through (an `undefined`, a class, a shared reference) fails here.
 */
export function throughJson(inner: Store): Store {
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
    readContext: async (...args) => reparseContext(await inner.readContext(...reparse(args))),
    beginTurn: call(inner.beginTurn),
    getTurn: call(inner.getTurn),
    turnOfRequest: call(inner.turnOfRequest),
    nodesOfTurn: call(inner.nodesOfTurn),
    openTurns: call(inner.openTurns),
    // Bytes cannot be JSON.
    commitTurn: ({ cachedTurns = [], ...commit }) => inner.commitTurn({ ...reparse(commit), cachedTurns }),
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
    subscribe: (listener) => inner.subscribe((signal) => listener(reparse(signal))),
    exportProject: (project) => reparseEach(inner.exportProject(project)),
    // Bytes cannot be JSON.
    blobs: inner.blobs,
    upgradeProject: call(inner.upgradeProject),
    importProject: (records) => inner.importProject(reparseEach(records)),
    ...(inner.problems ? { problems: inner.problems } : {}),
    ...(inner.rewriteDerived ? { rewriteDerived: call(inner.rewriteDerived) } : {}),
  };
}

export function openThroughJson(open: () => Promise<OpenedStore>): () => Promise<OpenedStore> {
  return async () => {
    const opened = await open();
    return {
      store: throughJson(opened.store),
      reopen: async () => throughJson(await opened.reopen()),
      dispose: opened.dispose,
    };
  };
}

// A method of the store: values in, values out, both through text.
const call =
  <Args extends readonly unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> =>
    reparse(await method(...reparse(args)));

function reparse<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

// Maps cannot be JSON; their entries can.
function reparseContext(context: StoredContext): StoredContext {
  return {
    marks: reparse(context.marks),
    cachedTurns: context.cachedTurns,
    nodes: reparse(context.nodes),
    raws: new Map(reparse([...context.raws])),
    renderings: new Map([...context.renderings].map(([node, ofNode]) => [node, new Map(reparse([...ofNode]))])),
  };
}

async function* reparseEach(records: AsyncIterable<ProjectRecord>): AsyncIterable<ProjectRecord> {
  for await (const record of records) yield reparse(record);
}
