import type { ContentBlock, Project, ProjectId, RawResponse } from '@bough/core';
import { StoreError } from '../errors.ts';
import type { ProjectRecord, Store } from '../store.ts';
import { checkAgainstRaw, checkDerived } from './checks/derived.ts';
import { checkFiles, checkUnused } from './checks/files.ts';
import { checkRequests } from './checks/requests.ts';
import { checkTools } from './checks/tools.ts';
import { checkTree } from './checks/tree.ts';
import { checkTurns } from './checks/turns.ts';
import type { Finding } from './finding.ts';
import type { ProjectIndex } from './project-index.ts';
import { addNode, createIndex, renderingName } from './project-index.ts';

export type { Finding, FindingCode, Repair, Severity } from './finding.ts';
export type { RepairOutcome } from './repair.ts';
export { applyRepairs, describeRepair, planRepairs } from './repair.ts';
export { formatReport } from './report.ts';

export interface VerifyOptions {
  /** One project; without it, all of them. */
  readonly project?: ProjectId;
  /** raw → canonical as of today, with all of its thinking. Without it, blocks are not compared with raw. */
  readonly blocksOfRaw?: (raw: RawResponse) => readonly ContentBlock[];
  /** In milliseconds since 1970: files that were put lately are waiting for their messages. */
  readonly now?: () => number;
}

export interface VerifyReport {
  readonly checked: {
    readonly projects: number;
    readonly nodes: number;
    readonly turns: number;
    readonly calls: number;
    readonly files: number;
  };
  /** Whether blocks were compared with raw. */
  readonly comparedWithRaw: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Reads a whole store and reports what does not fit: parents, cycles, tips, turns, tool pairs, texts and match keys,
 * requests of clients, blocks against raw, files against their hashes. Changes nothing.
 */
export async function verifyStore(store: Store, options: VerifyOptions = {}): Promise<VerifyReport> {
  const checked = { projects: 0, nodes: 0, turns: 0, calls: 0, files: 0 };
  const projects =
    options.project === undefined ? await store.listProjects() : [await store.getProject(options.project)];
  const findings = (store.problems?.() ?? []).map((problem) => unreadable(problem, null));
  if (options.project === undefined) findings.push(...(await verifyShelf(store)));
  for (const project of projects) {
    const found = await verifyProject(store, project, options);
    checked.projects += 1;
    checked.nodes += found.index.nodes.size;
    checked.turns += found.index.turns.size;
    checked.calls += found.index.calls.length;
    checked.files += found.index.files.size;
    findings.push(...found.findings.filter((finding) => !isKnown(findings, finding)));
  }
  if (options.project === undefined) findings.push(...(await checkUnused(store, (options.now ?? Date.now)())));
  return { checked, comparedWithRaw: options.blocksOfRaw !== undefined, findings };
}

async function verifyProject(
  store: Store,
  project: Project,
  options: VerifyOptions,
): Promise<{ index: ProjectIndex; findings: readonly Finding[] }> {
  const index = createIndex(project);
  const findings: Finding[] = [];
  try {
    for await (const record of store.exportProject(project.id)) {
      findings.push(...(await verifyRecord(store, index, record, options)));
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // An unreadable record hides everything after it: the structure of half a project says nothing.
    return { index, findings: [...findings, unreadable(error, project.id)] };
  }
  const structure = [checkTree, checkTurns, checkTools, checkRequests].flatMap((check) => check(index));
  return { index, findings: [...structure, ...findings] };
}

async function verifyRecord(
  store: Store,
  index: ProjectIndex,
  record: ProjectRecord,
  { blocksOfRaw }: VerifyOptions,
): Promise<readonly Finding[]> {
  switch (record.type) {
    case 'branch':
      index.branches.push(record.value);
      return [];
    case 'turn':
      index.turns.set(record.value.id, record.value);
      return [];
    case 'node':
      addNode(index, record.value);
      return [...checkDerived(record.value), ...(await checkFiles(store, index.project.id, record.value, index.files))];
    case 'call': {
      index.calls.push(record.value);
      const { nodeId } = record.value;
      if (!record.raw || !blocksOfRaw || nodeId === null || !index.nodes.has(nodeId)) return [];
      const [node] = await store.getNodes(index.project.id, [nodeId]);
      // Bough knows what it sent; a call without a request was made by another program.
      return node ? checkAgainstRaw(node, record.raw, blocksOfRaw, record.value.requestHash === '') : [];
    }
    case 'rendering':
      index.renderings.add(renderingName(record.value.nodeId, record.value.key));
      return [];
    default:
      return [];
  }
}

/** Documents that cannot be read: the presets and prompts in them are missing everywhere. */
async function verifyShelf(store: Store): Promise<readonly Finding[]> {
  try {
    await store.listDocuments();
    return [];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [unreadable(error, null)];
  }
}

function unreadable(error: StoreError, projectId: ProjectId | null): Finding {
  return {
    code: 'unreadable',
    severity: 'error',
    projectId,
    subject: error.subject,
    message: error.message,
    repair: null,
  };
}

/** A file that the store has already reported is not reported again because its project could not be read. */
function isKnown(findings: readonly Finding[], { code, subject }: Finding): boolean {
  return code === 'unreadable' && findings.some((other) => other.code === code && other.subject === subject);
}
