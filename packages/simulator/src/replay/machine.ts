import type { ContentBlock, ToolUseBlock, TreeNode } from '@bough/core';
import {
  ContextTooLongError,
  isCanvasNode,
  isTextBlock,
  isToolUseBlock,
  questionMessage,
  stableDeepEqual,
  toolsAtStart,
} from '@bough/core';
import {
  buildContentBlocksForProvider,
  NothingToAnswerError,
  takesSystemInPlace,
  takesToolChanges,
} from '@bough/providers';
import type { Simulator } from '../server.ts';
import type { Action, Ending, EnvelopeChange, TurnPlan } from './actions.ts';
import { choose, INSTRUCTIONS, TEXTS, TOOL_LISTS } from './actions.ts';
import type { Answered } from './calls.ts';
import { call } from './calls.ts';
import { mergeCanvas, versionOfTool, writeCanvas } from './canvas.ts';
import type { BranchState, Done, Seat } from './conversation.ts';
import { Conversation } from './conversation.ts';
import { FILES, keptFiles } from './files.ts';
import { IMPORTS } from './imports.ts';
import type { KeptReasoning } from './kept-reasoning.ts';
import { merge, mergesInto } from './merges.ts';
import { compact } from './summaries.ts';

const MAX_CALLS = 8;

type AskAction = Extract<Action, { type: 'ask' }>;

/**
 * Plays a history against the simulator over real HTTP, as the engine would, and checks after every request that the
 * promises were kept. Throws BrokenPromise.
 */
export class ReplayMachine {
  readonly #simulator: Simulator;
  readonly #conversation: Conversation;
  #callCount = 0;
  #pauseCount = 0;

  constructor(simulator: Simulator, seats: readonly Seat[], first: EnvelopeChange) {
    this.#simulator = simulator;
    this.#conversation = new Conversation(seats, first);
  }

  get calls(): number {
    return this.#callCount;
  }

  /** How often a provider paused its own tools and was called again. */
  get pauses(): number {
    return this.#pauseCount;
  }

  /** How many replies of the path hold what a provider ran itself. */
  get hosted(): number {
    return this.#conversation.hosted;
  }

  /** How often a request was refused because its container was gone. */
  get lostContainers(): number {
    return this.#conversation.lostContainers;
  }

  get sentFiles(): number {
    return this.#conversation.sentFiles;
  }

  /** How often turns had to be trimmed. */
  get trims(): number {
    return this.#conversation.trims;
  }

  /** How many summaries took the place of messages. */
  get summaries(): number {
    return this.#conversation.summaries;
  }

  get done(): Done {
    return this.#conversation.done;
  }

  get kept(): KeptReasoning {
    return this.#conversation.kept;
  }

  /** How many requests were made without reading their whole path. */
  get spared(): number {
    return this.#conversation.caches.reduce((sum, { spared }) => sum + spared, 0);
  }

  async play(action: Action): Promise<void> {
    const branch = this.#conversation.branch(action.branch);
    switch (action.type) {
      case 'say':
        return this.#say(branch, choose(TEXTS, action.text), action.turn, filesAt(action.files));
      case 'regenerate':
        return this.#with(branch, action.node, isAnswerable, (node) =>
          this.#answer(this.#conversation.fork(branch, node.id, action.change), action.turn),
        );
      case 'edit':
        return this.#with(branch, action.node, isSpoken, (node) => {
          const edited = this.#conversation.fork(branch, node.parentId, action.change);
          return this.#say(edited, choose(TEXTS, action.text), action.turn);
        });
      case 'fork':
        return this.#with(branch, action.node, isAny, (node) => {
          this.#conversation.fork(branch, node.id, action.change);
        });
      case 'change':
        return this.#conversation.change(branch, action.change);
      case 'choose':
        return this.#with(branch, action.node, isChosen, (node) =>
          this.#conversation.choose(branch, node, action.choice),
        );
      case 'compact':
        return this.#with(branch, action.node, isAny, (node) => compact(this.#conversation, branch, node, this.#ask));
      case 'uncompact':
        return this.#conversation.compacted(branch, branch.envelope.summaries.slice(0, -1));
      case 'include_thinking':
        return this.#with(branch, action.node, isReply, (node) => this.#conversation.toggleThinking(node));
      case 'forget_raw':
        return this.#with(branch, action.node, isReply, (node) => this.#conversation.forgetRaw(node));
      case 'remove':
        return this.#with(branch, action.node, isAny, (node) => this.#conversation.remove(node));
      case 'remove_turn':
        return this.#with(branch, action.node, isSpoken, (node) => this.#removeTurn(branch, node));
      case 'instruct': {
        const text = choose(INSTRUCTIONS, action.text);
        this.#conversation.append(branch, { role: 'system', contentBlocks: [{ type: 'text', text }] });
        const { provider, model } = branch.envelope.seat;
        // Where a model takes instructions only at the beginning, they change the beginning.
        if (!takesSystemInPlace(provider.deployment, provider.modelInfo(model))) branch.lastBody = null;
        return;
      }
      case 'canvas':
        return writeCanvas(this.#conversation, branch, action.text, action.inContext);
      case 'merge_canvas':
        return mergeCanvas(this.#conversation, this.#conversation.branch(action.from), branch, action.choice);
      case 'merge': {
        const planned = mergesInto(this.#conversation, branch);
        if (planned.length === 0) return;
        return merge(this.#conversation, branch, choose(planned, action.from), action.by, action.messages, this.#ask);
      }
      case 'ask':
        return this.#with(branch, action.node, isReply, (node) => this.#askAbout(branch, node, action));
      case 'retool': {
        const { seat, tools: before } = branch.envelope;
        const after = choose(TOOL_LISTS, action.tools);
        if (stableDeepEqual(before, after)) return;
        const { provider, model } = seat;
        const inPlace = takesToolChanges(provider.deployment, provider.modelInfo(model));
        const path = this.#conversation.path(branch);
        if (inPlace && path.some(({ role }) => role === 'user'))
          this.#conversation.append(branch, {
            role: 'system',
            contentBlocks: [{ type: 'tool-change', before, after }],
          });
        const isTold = inPlace && toolsAtStart(this.#conversation.path(branch), after) !== null;
        this.#conversation.change(branch, { tools: action.tools }, isTold);
        return;
      }
      case 'import':
        for (const message of choose(IMPORTS, action.of)) this.#conversation.append(branch, message);
        branch.lastBody = null;
        return;
    }
  }

  /** The request for a summary, counted like any other. */
  readonly #ask = (beside: BranchState): Promise<Answered | null> => {
    this.#callCount += 1;
    return this.#call(beside, { type: 'whole' });
  };

  /** After the last message of the reply, as the engine does it: between a call and its result nothing is asked. */
  async #askAbout(branch: BranchState, node: TreeNode, { text, change, turn }: AskAction): Promise<void> {
    const quote = node.content.trim().slice(0, 40).toWellFormed();
    if (quote === '') return;
    const path = this.#conversation.path(branch);
    const behind = path.slice(path.indexOf(node));
    const next = behind.findIndex(({ role }) => role === 'user' || role === 'system');
    const end = behind.at(next < 0 ? -1 : next - 1) ?? node;
    this.#conversation.done.questions += 1;
    const asked = this.#conversation.fork(branch, end.id, change);
    return this.#say(asked, questionMessage(quote, choose(TEXTS, text)), turn);
  }

  #removeTurn(branch: BranchState, message: TreeNode): void {
    const path = this.#conversation.path(branch);
    const at = path.findIndex(({ id }) => id === message.id);
    const next = path.findIndex((node, index) => index > at && isSpoken(node));
    for (const node of path.slice(at, next < 0 ? path.length : next).toReversed()) this.#conversation.remove(node);
  }

  async #with(
    branch: BranchState,
    number: number,
    fits: (node: TreeNode) => boolean,
    act: (node: TreeNode) => Promise<void> | void,
  ): Promise<void> {
    const node = this.#conversation.pick(branch, number, fits);
    if (node !== null) await act(node);
  }

  async #say(branch: BranchState, text: string, turn: TurnPlan, files: readonly ContentBlock[] = []): Promise<void> {
    this.#conversation.append(branch, { role: 'user', contentBlocks: [...files, { type: 'text', text }] });
    await this.#answer(branch, turn);
  }

  async #answer(branch: BranchState, turn: TurnPlan): Promise<void> {
    for (let number = 1; number <= MAX_CALLS; number += 1) {
      const ending: Ending = number === turn.endingAt ? turn.ending : { type: 'whole' };
      this.#callCount += 1;
      const answered = await this.#call(branch, ending);
      const calls = answered === null ? [] : this.#store(branch, answered);
      if (answered?.stop === 'pause') {
        this.#pauseCount += 1;
        continue;
      }
      if (calls.length === 0 || !this.#runTools(branch, calls, turn)) return;
    }
  }

  /** Null if the engine would tell the user to write something first, or that a turn full of files does not fit. */
  async #call(branch: BranchState, ending: Ending): Promise<Answered | null> {
    try {
      return await call(this.#simulator, this.#conversation, branch, ending);
    } catch (error) {
      if (error instanceof NothingToAnswerError || error instanceof ContextTooLongError) return null;
      throw error;
    }
  }

  /** Stores the reply as the engine does, and returns the calls to execute. */
  #store(branch: BranchState, { prepared, raw, stop, error, responseId }: Answered): readonly ToolUseBlock[] {
    const blocks = keptFiles(buildContentBlocksForProvider(raw));
    const broken = stop === 'error' || stop === 'interrupted';
    const { provider, model } = branch.envelope.seat;
    if (blocks.length === 0 && broken) {
      const text = error?.message ?? 'Interrupted.';
      this.#conversation.append(branch, { role: 'assistant', contentBlocks: [{ type: 'text', text }], isError: true });
      // No reply was made to that request: the next one may end differently.
      branch.lastBody = null;
      return [];
    }
    const node = this.#conversation.append(branch, {
      role: 'assistant',
      contentBlocks: blocks.length === 0 ? [{ type: 'text', text: '' }] : blocks,
      provider: provider.deployment.id,
      modelUsed: model,
      madeWith: prepared.context.madeWith,
      interrupted: broken,
    });
    this.#conversation.raws.set(node.id, raw);
    const { withReply } = prepared.request;
    if (withReply !== undefined) this.#conversation.renderings.set(`${node.id} ${withReply.key}`, withReply.bytes);
    if (isHosted(blocks)) this.#conversation.hosted += 1;
    // If nothing of it goes back, the next message joins the last one, and instructions follow both.
    const isInstructed = this.#conversation.path(branch).some(({ role }) => role === 'system');
    const saysNothing = !blocks.some(
      (block) => isToolUseBlock(block) || (isTextBlock(block) && block.text.trim() !== ''),
    );
    if (isInstructed && (broken || saysNothing)) branch.lastBody = null;
    if (responseId !== null && !broken) this.#conversation.responseIds.set(node.id, responseId);
    return broken ? [] : blocks.filter(isToolUseBlock);
  }

  /** False if the turn ends here. */
  #runTools(branch: BranchState, calls: readonly ToolUseBlock[], plan: TurnPlan): boolean {
    const { tools: outcome, toolFiles, toolCanvas } = plan;
    const stored = outcome === 'lost' ? calls.slice(0, -1) : calls;
    for (const { id, name } of stored) {
      const isError = outcome === 'fails';
      const text = isError ? `Error: ${name} is out of order.` : `${name} says 42.`;
      const version = toolCanvas === true && !isError ? [versionOfTool(this.#conversation, branch)] : [];
      const contentBlocks = [{ type: 'text', text }, ...filesAt(toolFiles), ...version];
      this.#conversation.append(branch, { role: 'tool', contentBlocks, toolCallId: id, isError });
    }
    return outcome !== 'lost';
  }
}

/** New objects each time: no store gives the same one twice. */
const filesAt = (number: number | undefined): readonly ContentBlock[] =>
  number === undefined ? [] : choose(FILES, number).map((block) => ({ ...block }));

/** What a provider ran itself, in the words of each protocol. */
const isHosted = (blocks: readonly ContentBlock[]): boolean =>
  blocks.some((block) =>
    /server_tool_use|_search_call|interpreter_call|generation_call|mcp_|toolCall|executableCode/.test(
      JSON.stringify(block),
    ),
  );

const isAny = (): boolean => true;
// Instructions are neither left out nor pinned.
const isChosen = ({ role }: TreeNode): boolean => role !== 'system';
const isReply = ({ role }: TreeNode): boolean => role === 'assistant';
const isSpoken = (node: TreeNode): boolean => node.role === 'user' && !isCanvasNode(node);
const isAnswerable = (node: TreeNode): boolean => isSpoken(node) || node.role === 'tool';
