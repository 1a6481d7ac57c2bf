import type { ContentBlock, Lock, NodeId, ProjectId, StreamLine, TurnId } from '@bough/core';
import type { Approval } from './admit/approve.ts';
import { approve } from './admit/approve.ts';
import { RequestError } from './admit/errors.ts';
import type { ChatRequest, ContinueRequest, EditRequest, RegenerateRequest } from './admit/requests.ts';
import { chat, continueTurn, edit, regenerate } from './admit/requests.ts';
import type { NewBranch, NewProject } from './branches/index.ts';
import type { BranchChange } from './branches/change.ts';
import { changeBranch, deleteBranch } from './branches/change.ts';
import { createBranch, createProject } from './branches/index.ts';
import { checkModel } from './branches/model.ts';
import type { Environment } from './environment.ts';
import type { HistoryRequest } from './history/index.ts';
import { readHistory } from './history/index.ts';
import type { AppendedMessage } from './nodes/index.ts';
import { appendMessages, deleteNode, deleteTurn, editContent, setIncludeThinking } from './nodes/index.ts';
import { previewContext } from './preview/index.ts';
import type { ProjectChange } from './projects/index.ts';
import { changeProject } from './projects/index.ts';
import {
  branchDeletion,
  deleteProject,
  keepTrashShort,
  nodeDeletion,
  restoreTrash,
  turnDeletion,
} from './trash/index.ts';
import { TurnRunner } from './turn/runner.ts';
import { hasEnded, watchTurn } from './watch/index.ts';

export type Engine = ReturnType<typeof createEngine>;

/** The only orchestration. Constructing it does nothing; `start` listens and recovers, `stop` releases everything. */
export function createEngine(env: Environment) {
  const runner = new TurnRunner(env);
  let stopping = false;
  let stopPurging: () => Promise<void> = () => Promise.resolve();
  const admitting = (): void => {
    if (stopping) throw new RequestError('shutting_down', 'The server is shutting down. Try again in a moment.');
  };

  return {
    start: async () => {
      await runner.start();
      stopPurging = keepTrashShort(env);
    },
    stop: async (graceMs: number) => {
      stopping = true;
      await stopPurging();
      return runner.stop(graceMs);
    },
    runningTurns: () => runner.size,

    createProject: (input: NewProject) => createProject(env, input),
    changeProject: (project: ProjectId, change: ProjectChange) => changeProject(env, project, change),
    deleteProject: (project: ProjectId) => deleteProject(env, project),
    createBranch: (project: ProjectId, input: NewBranch) => createBranch(env, project, input),
    checkModel: (lock: Lock) => checkModel(env, lock, null),
    changeBranch: (project: ProjectId, ref: string, change: BranchChange) => changeBranch(env, project, ref, change),
    deleteBranch: (project: ProjectId, ref: string) => deleteBranch(env, project, ref),

    chat: async (project: ProjectId, request: ChatRequest) => {
      admitting();
      return chat(env, runner, project, request);
    },
    edit: async (project: ProjectId, request: EditRequest) => {
      admitting();
      return edit(env, runner, project, request);
    },
    regenerate: async (project: ProjectId, request: RegenerateRequest) => {
      admitting();
      return regenerate(env, runner, project, request);
    },
    continueTurn: async (project: ProjectId, request: ContinueRequest) => {
      admitting();
      return continueTurn(env, runner, project, request);
    },
    approve: async (project: ProjectId, approval: Approval) => {
      admitting();
      return approve(env, runner, project, approval);
    },
    interrupt: (
      project: ProjectId,
      target: { readonly turnId?: TurnId | undefined; readonly ref?: string | undefined },
    ) => interrupt(env, runner, project, target),

    watch: (
      project: ProjectId,
      turn: TurnId,
      after: number,
      signal: AbortSignal,
    ): AsyncGenerator<readonly StreamLine[], void> =>
      watchTurn(
        env,
        { projectId: project, turnId: turn, hub: runner.hub, publishedHere: () => runner.published(turn) },
        after,
        signal,
      ),
    history: (project: ProjectId, query: HistoryRequest) => readHistory(env, project, query),
    previewContext: (project: ProjectId, query: Parameters<typeof previewContext>[2]) =>
      previewContext(env, project, query),

    appendMessages: (parent: NodeId, messages: readonly AppendedMessage[], ref?: string) =>
      appendMessages(env, parent, messages, ref),
    editContent: (node: NodeId, content: string | readonly ContentBlock[]) => editContent(env, node, content),
    setIncludeThinking: (project: ProjectId, node: NodeId, include: boolean) =>
      setIncludeThinking(env, project, node, include),
    deleteNode: (project: ProjectId, node: NodeId, mode: 'cascade' | 'reparent') =>
      deleteNode(env, project, node, mode),
    deleteTurn: (project: ProjectId, turn: TurnId, mode: 'cascade' | 'reparent') =>
      deleteTurn(env, project, turn, mode),
    nodeDeletion: (project: ProjectId, node: NodeId, mode: 'cascade' | 'reparent') =>
      nodeDeletion(env, project, node, mode),
    turnDeletion: (project: ProjectId, turn: TurnId, mode: 'cascade' | 'reparent') =>
      turnDeletion(env, project, turn, mode),
    branchDeletion: (project: ProjectId, ref: string) => branchDeletion(env, project, ref),
    restoreTrash: (id: string) => restoreTrash(env, id),
  };
}

/**
 * Stops a turn wherever it runs. One that waits for an approval has no owner and is closed here, as is one that nobody
 * runs any more.
 */
async function interrupt(
  env: Environment,
  runner: TurnRunner,
  project: ProjectId,
  target: { readonly turnId?: TurnId | undefined; readonly ref?: string | undefined },
): Promise<TurnId> {
  const id = target.turnId ?? (await runningOn(env, project, target.ref ?? ''));
  const turn = await env.store.getTurn(project, id);
  if (hasEnded(turn)) throw new RequestError('no_running_turn', 'This turn has ended already.');
  if (turn.status === 'awaiting_approval') {
    await env.store.claimTurn(project, id, env.owner, runner.leaseMs);
    await env.store.commitTurn({
      projectId: project,
      turnId: id,
      owner: env.owner,
      nodes: [],
      calls: [],
      renderings: [],
      status: 'interrupted',
    });
    runner.hub.tell(id, { type: 'ended', end: null });
    await env.store.publish({ type: 'changed', projectId: project });
  } else if (!runner.interrupt(id)) {
    await runner.interruptElsewhere(turn);
  }
  return id;
}

async function runningOn(env: Environment, project: ProjectId, ref: string): Promise<TurnId> {
  const branch = await env.store.getBranch(project, ref);
  const open = (await env.store.openTurns(project)).find((turn) => turn.branchId === branch.id);
  if (open === undefined) throw new RequestError('no_running_turn', `No turn runs on the branch "${branch.name}".`);
  return open.id;
}
