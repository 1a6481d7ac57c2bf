import type { ContentBlock, Lock, NodeId, NonEmptyArray, ProjectId, StreamLine, TurnId } from '@bough/core';
import { isNonEmpty } from '@bough/core';
import type { TrashQuery } from '@bough/store';
import type { Approval } from './admit/approve.ts';
import { approve } from './admit/approve.ts';
import { RequestError } from './admit/errors.ts';
import type { ChatRequest, ContinueRequest, EditRequest, RegenerateRequest } from './admit/requests.ts';
import { chat, continueTurn, edit, regenerate } from './admit/requests.ts';
import { estimateAsk } from './ask/estimate.ts';
import type { AskRequest } from './ask/index.ts';
import { ask } from './ask/index.ts';
import type { KeepChoice } from './ask/keep.ts';
import { keepAnswers } from './ask/keep.ts';
import type { CanvasEdit, CanvasMerge } from './canvas/index.ts';
import { canvasHistory, mergeCanvas, readCanvas, writeCanvas } from './canvas/index.ts';
import type { NewBranch, NewProject } from './branches/index.ts';
import type { BranchChange } from './branches/change.ts';
import { changeBranch, deleteBranch } from './branches/change.ts';
import { createBranch, createProject } from './branches/index.ts';
import type { Compact, CompactionRequest } from './compact/index.ts';
import { compact, previewCompaction, readSummary } from './compact/index.ts';
import type { Comparison, NodeAnnotations } from './annotations/index.ts';
import { annotateNode, judge } from './annotations/index.ts';
import type { Environment } from './environment.ts';
import type { HistoryRequest } from './history/index.ts';
import { readHistory } from './history/index.ts';
import { defaultLock, setDefaultLock, setTitleModel, titleModel } from './library/defaults.ts';
import type { NewPreset, Preset, PresetChange } from './library/presets.ts';
import { changePreset, createPreset, deletePreset, listPresets, presetProblem } from './library/presets.ts';
import type { NewPrompt, PromptChange } from './library/prompts.ts';
import { changePrompt, createPrompt, deletePrompt, importPrompts, listPrompts } from './library/prompts.ts';
import type { Merge, MergeAsked } from './merge/index.ts';
import { merge, previewMerge, readMerge } from './merge/index.ts';
import type { AppendedMessage } from './nodes/index.ts';
import { appendMessages, deleteNode, deleteTurn, editContent, setIncludeThinking } from './nodes/index.ts';
import { previewContext } from './preview/index.ts';
import type { AskAbout } from './questions/index.ts';
import { askAbout, deleteQuestion } from './questions/index.ts';
import { branchCosts } from './costs/index.ts';
import type { RecordedCall, RecordedPlace } from './record/index.ts';
import { record } from './record/index.ts';
import type { ProjectChange } from './projects/index.ts';
import { changeProject } from './projects/index.ts';
import type {
  NewQuestionSet,
  NewRound,
  QuestionSetChange,
  RoundChange,
  RoundWish,
  WhichRounds,
} from './rounds/index.ts';
import {
  changeSet,
  createRounds,
  createSet,
  deleteRound,
  deleteSet,
  estimateRound,
  getSet,
  listRounds,
  listSets,
  roundTable,
  startRound,
  steerRound,
} from './rounds/index.ts';
import {
  branchDeletion,
  deleteProject,
  keepTrashShort,
  nodeDeletion,
  purgeTrash,
  restoreTrash,
  turnDeletion,
} from './trash/index.ts';
import { createStoppable } from './compact/stoppable.ts';
import { createTitles } from './titles/index.ts';
import { TurnRunner } from './turn/runner.ts';
import { hasEnded, watchTurn } from './watch/index.ts';

export type Engine = ReturnType<typeof createEngine>;

/** The only orchestration. Constructing it does nothing; `start` listens and recovers, `stop` releases everything. */
export function createEngine(env: Environment) {
  const titles = createTitles(env);
  const compacting = createStoppable();
  const runner: TurnRunner = new TurnRunner(env, (turn) => {
    titles.consider(turn);
    rounds.wake(turn.projectId);
  });
  const rounds = createRounds(env, runner, async (project, turn) => {
    await interrupt(env, runner, project, { turnId: turn }).catch((error: unknown) => {
      // It ended by itself a moment ago.
      if (!(error instanceof RequestError && error.code === 'no_running_turn')) throw error;
    });
  });
  let stopping = false;
  let stopPurging: () => Promise<void> = () => Promise.resolve();
  const admitting = (): void => {
    if (stopping) throw new RequestError('shutting_down', 'The server is shutting down. Try again in a moment.');
  };

  return {
    start: async (which: WhichRounds = 'all') => {
      await runner.start();
      rounds.start(which);
      stopPurging = keepTrashShort(env);
    },
    stop: async (graceMs: number) => {
      stopping = true;
      await stopPurging();
      await rounds.stop();
      const stopped = await runner.stop(graceMs);
      await compacting.stop();
      await titles.stop();
      return stopped;
    },
    runningTurns: () => runner.size,

    createProject: (input: NewProject) => createProject(env, input),
    changeProject: (project: ProjectId, change: ProjectChange) => changeProject(env, project, change),
    deleteProject: (project: ProjectId) => deleteProject(env, project),
    createBranch: (project: ProjectId, input: NewBranch) => createBranch(env, project, input),
    changeBranch: (project: ProjectId, ref: string, change: BranchChange) => changeBranch(env, project, ref, change),
    deleteBranch: (project: ProjectId, ref: string) => deleteBranch(env, project, ref),

    defaultLock: () => defaultLock(env),
    setDefaultLock: (lock: Lock) => setDefaultLock(env, lock),
    titleModel: () => titleModel(env),
    setTitleModel: (lock: Lock | null) => setTitleModel(env, lock),
    listPresets: () => listPresets(env),
    createPreset: (input: NewPreset) => createPreset(env, input),
    changePreset: (ref: string, change: PresetChange) => changePreset(env, ref, change),
    deletePreset: (ref: string) => deletePreset(env, ref),
    presetProblem: (preset: Preset) => presetProblem(env, preset),
    listPrompts: () => listPrompts(env),
    createPrompt: (input: NewPrompt) => createPrompt(env, input),
    changePrompt: (id: string, change: PromptChange) => changePrompt(env, id, change),
    deletePrompt: (id: string) => deletePrompt(env, id),
    importPrompts: (inputs: readonly NewPrompt[]) => importPrompts(env, inputs),

    listQuestionSets: () => listSets(env),
    getQuestionSet: (ref: string) => getSet(env, ref),
    createQuestionSet: (input: NewQuestionSet) => createSet(env, input),
    changeQuestionSet: (ref: string, change: QuestionSetChange) => changeSet(env, ref, change),
    deleteQuestionSet: (ref: string) => deleteSet(env, ref),
    listRounds: () => listRounds(env),
    roundTable: (id: string, page: Parameters<typeof roundTable>[2]) => roundTable(env, id, page),
    estimateRound: async (set: string, wish: RoundWish) => estimateRound(env, await getSet(env, set), wish),
    /** Asks a question set of several models, in the background. */
    startRound: async (set: string, wish: NewRound) => {
      admitting();
      const round = await startRound(env, set, wish);
      rounds.look(round.id);
      return round;
    },
    steerRound: async (id: string, change: RoundChange) => {
      const round = await steerRound(env, id, change);
      rounds.look(round.id);
      rounds.wake(round.projectId);
      return round;
    },
    deleteRound: (id: string) => deleteRound(env, id),

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
    ask: async (project: ProjectId, request: AskRequest) => {
      admitting();
      return ask(env, runner, project, request);
    },
    estimateAsk: (project: ProjectId, request: AskRequest) => estimateAsk(env, project, request),
    keepAnswers: (project: ProjectId, choice: KeepChoice) => keepAnswers(env, project, choice),
    /** Asks about some words of a reply, on a branch of its own. */
    askAbout: async (project: ProjectId, request: AskAbout) => {
      admitting();
      return askAbout(env, runner, project, request);
    },
    deleteQuestion: (project: ProjectId, ref: string) => deleteQuestion(env, project, ref),
    continueTurn: async (project: ProjectId, request: ContinueRequest) => {
      admitting();
      return continueTurn(env, runner, project, request);
    },
    /**
     * What takes the place of the beginning of a conversation is made, and waited for. Until it is written, whoever
     * asked for it can still think better of it.
     */
    compact: async (project: ProjectId, request: Compact, cancelled?: AbortSignal) => {
      admitting();
      return compacting.run((signal) => compact(env, project, request, signal), cancelled);
    },
    previewCompaction: (project: ProjectId, request: CompactionRequest) => previewCompaction(env, project, request),
    readSummary: (project: ProjectId, ref: string) => readSummary(env, project, ref),
    /** Something of a branch is brought to another one; a summary of it is written first in the same way. */
    merge: async (project: ProjectId, request: Merge, cancelled?: AbortSignal) => {
      admitting();
      return compacting.run((signal) => merge(env, project, request, signal), cancelled);
    },
    previewMerge: (project: ProjectId, asked: MergeAsked) => previewMerge(env, project, asked),
    readMerge: (project: ProjectId, node: NodeId) => readMerge(env, project, node),
    approve: async (project: ProjectId, approval: Approval) => {
      admitting();
      return approve(env, runner, project, approval);
    },
    /** A call that another program makes through Bough. */
    record: async (place: RecordedPlace, call: RecordedCall) => {
      admitting();
      return record(env, runner, place, call);
    },
    interrupt: (project: ProjectId, target: InterruptTarget) => interrupt(env, runner, project, target),

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
    branchCosts: (project: ProjectId, ref: string) => branchCosts(env, project, ref),

    appendMessages: (parent: NodeId, messages: readonly AppendedMessage[], ref?: string) =>
      appendMessages(env, parent, messages, ref),
    editContent: (node: NodeId, content: string | readonly ContentBlock[]) => editContent(env, node, content),
    setIncludeThinking: (project: ProjectId, node: NodeId, include: boolean, ref?: string) =>
      setIncludeThinking(env, project, node, include, ref),
    annotateNode: (project: ProjectId, node: NodeId, change: NodeAnnotations) =>
      annotateNode(env, project, node, change),
    readCanvas: (project: ProjectId, ref: string, version?: string) => readCanvas(env, project, ref, version),
    canvasHistory: (project: ProjectId, ref: string) => canvasHistory(env, project, ref),
    writeCanvas: (project: ProjectId, edit: CanvasEdit) => writeCanvas(env, project, edit),
    mergeCanvas: (project: ProjectId, merge: CanvasMerge) => mergeCanvas(env, project, merge),
    judge: (project: ProjectId, comparison: Comparison) => judge(env, project, comparison),
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
    purgeTrash: (query: TrashQuery) => purgeTrash(env, query),
  };
}

/** What to stop: a turn, the turn of a branch, or every turn that answers a message. */
interface InterruptTarget {
  readonly turnId?: TurnId | undefined;
  readonly ref?: string | undefined;
  readonly answering?: NodeId | undefined;
}

async function interrupt(
  env: Environment,
  runner: TurnRunner,
  project: ProjectId,
  { turnId, ref, answering }: InterruptTarget,
): Promise<NonEmptyArray<TurnId>> {
  if (answering === undefined || turnId !== undefined || ref !== undefined)
    return [await stop(env, runner, project, turnId ?? (await runningOn(env, project, ref ?? '')))];
  const ids = await runningBelow(env, project, answering);
  const stopped: TurnId[] = [];
  for (const id of ids) {
    try {
      stopped.push(await stop(env, runner, project, id));
    } catch (error) {
      // It ended by itself a moment ago; the others are still to be stopped.
      if (!(error instanceof RequestError && error.code === 'no_running_turn')) throw error;
    }
  }
  if (!isNonEmpty(stopped)) throw new RequestError('no_running_turn', 'No reply to this message is being made.');
  return stopped;
}

/**
 * Stops a turn wherever it runs. One that waits for an approval has no owner and is closed here, as is one that nobody
 * runs any more.
 */
async function stop(env: Environment, runner: TurnRunner, project: ProjectId, id: TurnId): Promise<TurnId> {
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
    await env.store.publish({ type: 'changed', projectId: project, turnId: id });
  } else if (!runner.interrupt(id)) {
    await runner.interruptElsewhere(turn);
  }
  return id;
}

/** The open turns that answer a message: their own one, or the one below which their reply begins. */
async function runningBelow(env: Environment, project: ProjectId, answered: NodeId): Promise<readonly TurnId[]> {
  const branches = await env.store.listBranches(project);
  const found: TurnId[] = [];
  for (const { id, branchId } of await env.store.openTurns(project)) {
    const nodes = await env.store.nodesOfTurn(project, id);
    const own = nodes.find(({ role }) => role === 'user')?.id;
    // Nothing of the reply is stored: the branch still ends with what is answered.
    const above = nodes[0]?.parentId ?? branches.find((branch) => branch.id === branchId)?.tipId;
    if ((own ?? above) === answered) found.push(id);
  }
  return found;
}

async function runningOn(env: Environment, project: ProjectId, ref: string): Promise<TurnId> {
  const branch = await env.store.getBranch(project, ref);
  const open = (await env.store.openTurns(project)).find((turn) => turn.branchId === branch.id);
  if (open === undefined) throw new RequestError('no_running_turn', `No turn runs on the branch "${branch.name}".`);
  return open.id;
}
