import type {
  Annotation,
  BranchId,
  CallId,
  ContentBlock,
  Envelope,
  Exchange,
  NodeId,
  Piece,
  ProjectId,
  TurnId,
} from '@bough/core';
import {
  branchId,
  callId,
  choicesSetting,
  createNode,
  idFrom,
  isCanvasBlock,
  isMergeBlock,
  nodeId,
  projectId,
  questionText,
  readQuestion,
  summariesSetting,
  turnId,
} from '@bough/core';
import type { ProjectRecord } from '@bough/store';

/**
 * The records of another store under new ids: `root-1` and `main` occur in every such directory, and two of them must
 * not be merged. Match keys depend on the parent's id, and are recomputed. A branch without a lock gets the given one.
 */
export async function* renamed(
  records: AsyncIterable<ProjectRecord>,
  space: string,
  envelope: Envelope,
): AsyncGenerator<ProjectRecord, void> {
  const to = {
    project: projectId(idFrom(space)),
    node: <Id extends NodeId | null>(id: Id): Id | NodeId => (id === null ? id : nodeId(idFrom(space, 'node', id))),
    turn: <Id extends TurnId | null>(id: Id): Id | TurnId => (id === null ? id : turnId(idFrom(space, 'turn', id))),
    branch: <Id extends BranchId | null>(id: Id): Id | BranchId =>
      id === null ? id : branchId(idFrom(space, 'branch', id)),
    call: (id: CallId): CallId => callId(idFrom(space, 'call', id)),
  };
  for await (const record of records) yield rename(record, to, envelope);
}

interface Names {
  readonly project: ProjectId;
  readonly node: <Id extends NodeId | null>(id: Id) => Id | NodeId;
  readonly turn: <Id extends TurnId | null>(id: Id) => Id | TurnId;
  readonly branch: <Id extends BranchId | null>(id: Id) => Id | BranchId;
  readonly call: (id: CallId) => CallId;
}

function rename(record: ProjectRecord, to: Names, envelope: Envelope): ProjectRecord {
  switch (record.type) {
    case 'project':
      return { type: 'project', value: { ...record.value, id: to.project } };
    case 'foreign':
      return { type: 'foreign', value: { ...record.value, projectId: to.project } };
    case 'branch': {
      const branch = record.value;
      const unlocked = branch.envelope.provider === '' || branch.envelope.model === '';
      return {
        type: 'branch',
        value: {
          ...branch,
          id: to.branch(branch.id),
          projectId: to.project,
          tipId: to.node(branch.tipId),
          forkedFromId: to.node(branch.forkedFromId),
          ...(branch.recorded && { recorded: { ...branch.recorded, beside: to.node(branch.recorded.beside) } }),
          envelope: unlocked
            ? { ...envelope, systemPrompt: branch.envelope.systemPrompt, tools: branch.envelope.tools }
            : renameChosen(branch.envelope, to),
        },
      };
    }
    case 'turn':
      return {
        type: 'turn',
        value: {
          ...record.value,
          id: to.turn(record.value.id),
          projectId: to.project,
          branchId: to.branch(record.value.branchId),
        },
      };
    case 'node': {
      const { madeWith, ...node } = record.value;
      return {
        type: 'node',
        value: createNode({
          ...node,
          id: to.node(node.id),
          projectId: to.project,
          parentId: to.node(node.parentId),
          turnId: to.turn(node.turnId),
          createdOnBranch: to.branch(node.createdOnBranch),
          contentBlocks:
            node.contentBlocks.length > 0
              ? node.contentBlocks.map((block) => renameBlock(block, to))
              : [{ type: 'text', text: '' }],
          madeWith: madeWith && { ...madeWith, previousThinking: to.node(madeWith.previousThinking) },
        }),
      };
    }
    case 'call':
      return {
        type: 'call',
        raw: record.raw,
        value: {
          ...record.value,
          id: to.call(record.value.id),
          projectId: to.project,
          turnId: to.turn(record.value.turnId),
          nodeId: to.node(record.value.nodeId),
          ...(record.value.exchange && { exchange: renameExchange(record.value.exchange, to) }),
        },
      };
    case 'rendering':
      return { type: 'rendering', value: { ...record.value, nodeId: to.node(record.value.nodeId) } };
    case 'annotation': {
      const { nodeId: beside } = record.value;
      const renamed = { ...record.value, projectId: to.project, nodeId: to.node(beside) };
      return { type: 'annotation', value: renameQuestion(renamed, to) };
    }
  }
}

/** A merge names a branch and messages; a version of the canvas, the one that it was merged from. */
function renameBlock(block: ContentBlock, to: Names): ContentBlock {
  if (isMergeBlock(block)) {
    const { branchId: source, after, upTo, nodeIds } = block;
    const nodes = { after: to.node(after), upTo: to.node(upTo), nodeIds: nodeIds.map((id) => to.node(id)) };
    return { ...block, branchId: to.branch(source), ...nodes };
  }
  if (!isCanvasBlock(block) || block.mergedFrom === undefined) return block;
  return { ...block, mergedFrom: to.node(nodeId(block.mergedFrom)) };
}

/** A question names its branch and the message that asks it. */
function renameQuestion(annotation: Annotation, to: Names): Annotation {
  const question = annotation.kind === 'question' ? readQuestion(annotation.text) : null;
  if (question === null) return annotation;
  const text = questionText({ ...question, messageId: to.node(question.messageId) });
  return { ...annotation, name: to.branch(branchId(annotation.name)), text };
}

/** What was chosen and what was summarised name messages. */
function renameChosen({ choices, summaries, ...envelope }: Envelope, to: Names): Envelope {
  const entries = Object.entries(choices ?? {}).map(([id, choice]) => [to.node(nodeId(id)), choice] as const);
  return {
    ...envelope,
    ...choicesSetting(Object.fromEntries(entries)),
    ...summariesSetting(summaries?.map((id) => to.node(id))),
  };
}

/** The pieces of a request name the nodes and calls that hold its bytes. */
function renameExchange(exchange: Exchange, to: Names): Exchange {
  const renamed = (pieces: readonly Piece[]): readonly Piece[] =>
    pieces.map((piece) =>
      'node' in piece ? { ...piece, node: to.node(piece.node) } : { ...piece, call: to.call(piece.call) },
    );
  const { came, sent } = exchange;
  return { ...exchange, came: renamed(came), ...(sent && { sent: renamed(sent) }) };
}
