import type { Branch, ContentBlock, Exchange, NodeId, Project, TreeNode, Turn, TurnId } from '@bough/core';
import { branchId, callId, nodeId, projectId, turnId } from '@bough/core';
import {
  buildBranch,
  buildCall,
  buildNode,
  buildProject,
  buildRaw,
  buildReply,
  buildTurn,
  LONG_LEASE,
} from '../build.ts';
import { annotates, blocksBeside, chooses } from './beside.ts';
import { fileNamed } from './files.ts';
import type { Operation } from './operations.ts';
import { seededRandom } from './random.ts';

const textOf = (text: string): ContentBlock => ({ type: 'text', text });

const exchangeNamed = (node: NodeId): Exchange => ({
  client: 'client/1.0',
  session: null,
  mode: 'record',
  protocol: 'openai-responses',
  path: '/v1/responses',
  came: [{ node, key: 'wire' }],
});

/** Operations that run at once. They concern different turns, so the outcome does not depend on which is first. */
export type Step = readonly Operation[];

interface OpenTurn {
  readonly turn: Turn;
  readonly lastSeq: number;
}

interface Line {
  readonly branch: Branch;
  readonly tip: NodeId | null;
  readonly open: OpenTurn | null;
  /** The turn that ended on it last. */
  readonly last: Turn | null;
}

/**
 * Endless valid work on one project: turns that stream, call tools and end, forks, side chains that come and go,
 * switches, what people keep beside messages, versions of the canvas and merges, and projects that are imported and
 * deleted. The same seed and prefix give the same steps in every process.
 */
export function* planSteps(seed: number, prefix: string): Generator<Step, never> {
  const random = seededRandom(seed);
  let serial = 0;
  const id = (kind: string): string => `${prefix}-${kind}-${(serial += 1)}`;
  const time = (): string => new Date(Date.UTC(2025, 0, 1) + (serial += 1) * 1000).toISOString();

  const project = buildProject({ id: projectId(`${prefix}-project`), createdAt: time() });
  const lines: Line[] = [];
  const replies: NodeId[] = [];
  const sideRoots: NodeId[] = [];
  const imported: Project[] = [];
  const ended: TurnId[] = [];

  const node = (parent: NodeId | null, given: Partial<TreeNode>, reply = false): TreeNode => {
    const own = nodeId(id('node'));
    const text = `${own} ${'words '.repeat(random.int(40))}`;
    const build = reply ? buildReply : buildNode;
    // Without the dice: what a seed does otherwise stays as it was. Messages share a handful of files.
    const more = [
      ...(serial % 4 === 0 ? [fileNamed(`${prefix} file ${serial % 5}`)] : []),
      ...(reply || given.role !== undefined ? [] : blocksBeside(serial, own, parent)),
    ];
    return build(project, parent === null ? null : { id: parent }, text, {
      id: own,
      matchKey: `key of ${own}`,
      createdAt: time(),
      ...(more.length > 0 && { contentBlocks: [textOf(text), ...more] }),
      ...(serial % 3 === 0 && { trail: `trail of ${own}` }),
      ...given,
    });
  };

  function newBranch(name: string, tip: NodeId | null): Operation & { readonly type: 'createBranch' } {
    const branch = buildBranch(project, {
      id: branchId(id('branch')),
      name,
      tipId: tip,
      forkedFromId: tip,
      createdAt: time(),
    });
    lines.push({ branch, tip, open: null, last: null });
    return { type: 'createBranch', branch };
  }

  const replaceLine = (old: Line, line: Line): void => void lines.splice(lines.indexOf(old), 1, line);

  function begin(line: Line): Operation & { readonly type: 'beginTurn' } {
    const turn = buildTurn(project, line.branch, { id: turnId(id('turn')), createdAt: time() });
    const user = node(line.tip, { turnId: turn.id, createdOnBranch: line.branch.id });
    replaceLine(line, { ...line, tip: user.id, open: { turn, lastSeq: 0 } });
    const tip = { branchId: line.branch.id, expected: line.tip, next: user.id };
    const clientRequestId = id('request');
    const renderings = random.int(2) === 0 ? [] : [{ nodeId: user.id, key: 'came', bytes: `{"of":"${user.id}"}` }];
    return {
      type: 'beginTurn',
      begin: { turn, owner: prefix, leaseMs: LONG_LEASE, clientRequestId, nodes: [user], renderings, tip },
    };
  }

  /** The last turn of a branch goes on. */
  function reopen(line: Line, turn: Turn): Operation {
    replaceLine(line, { ...line, open: { turn, lastSeq: 0 }, last: null });
    if (ended.includes(turn.id)) ended.splice(ended.indexOf(turn.id), 1);
    return { type: 'reopenTurn', projectId: project.id, turnId: turn.id, owner: prefix };
  }

  /** A branch by itself, or together with its first turn. */
  function fork(): Operation {
    const created = newBranch(id('name'), random.pick([null, ...replies]));
    const line = lines.at(-1);
    if (line === undefined || random.int(2) === 0) return created;
    const { type, begin: begun } = begin(line);
    return { type, begin: { ...begun, newBranch: created.branch } };
  }

  function stream(line: Line, { turn, lastSeq }: OpenTurn): Operation {
    const entries = Array.from({ length: 1 + random.int(3) }, (_, index) => ({
      seq: lastSeq + 1 + index,
      data: JSON.stringify({ of: turn.id, at: lastSeq + 1 + index, pad: 'x'.repeat(random.int(200)) }),
    }));
    replaceLine(line, { ...line, open: { turn, lastSeq: lastSeq + entries.length } });
    return { type: 'appendLog', projectId: project.id, turnId: turn.id, entries };
  }

  function commit(line: Line, { turn, lastSeq }: OpenTurn, ends: boolean): Operation {
    const about = { turnId: turn.id, createdOnBranch: line.branch.id };
    const reply = node(line.tip, about, true);
    const result = node(reply.id, { ...about, role: 'tool', toolCallId: id('tool-call') });
    const nodes = ends ? [reply] : [reply, result];
    const next = nodes.at(-1)?.id ?? reply.id;
    const call = buildCall(turn, reply, {
      id: callId(id('call')),
      ...(serial % 3 === 0 && { exchange: exchangeNamed(reply.id) }),
      startedAt: time(),
      firstByteAt: time(),
      endedAt: time(),
    });
    const raw = buildRaw(`{"of":"${reply.id}","pad":"${'y'.repeat(random.int(3000))}"}`, { capturedAt: time() });
    replies.push(reply.id);
    if (ends) ended.push(turn.id);
    replaceLine(line, { ...line, tip: next, open: ends ? null : { turn, lastSeq }, last: ends ? turn : line.last });
    return {
      type: 'commitTurn',
      commit: {
        projectId: project.id,
        turnId: turn.id,
        owner: prefix,
        nodes,
        calls: [{ call, raw }],
        renderings: nodes.map((made) => ({ nodeId: made.id, key: 'wire', bytes: `{"id":"${made.id}"}` })),
        tip: { branchId: line.branch.id, expected: line.tip, next },
        ...(ends ? { status: random.pick(['complete', 'error', 'interrupted'] as const) } : {}),
      },
    };
  }

  function sideChain(): Operation {
    const first = node(random.pick([null, ...replies]), {});
    const second = node(first.id, {}, true);
    const third = node(first.id, {}, true);
    sideRoots.push(first.id);
    return { type: 'appendNodes', projectId: project.id, nodes: [first, second, third] };
  }

  function removeSideChain(): Operation {
    const [root] = sideRoots.splice(random.int(sideRoots.length), 1);
    if (root === undefined) return sideChain();
    return { type: 'deleteNode', projectId: project.id, nodeId: root, mode: random.pick(['cascade', 'reparent']) };
  }

  function importOrDelete(): Operation {
    const [old] = imported.length > 1 ? imported.splice(0, 1) : [];
    if (old) return { type: 'deleteProject', projectId: old.id };
    const copy = buildProject({ id: projectId(id('import')), createdAt: time() });
    const root = { ...node(null, {}), projectId: copy.id };
    const reply = { ...node(root.id, {}, true), projectId: copy.id };
    const branch = buildBranch(copy, { id: branchId(id('branch')), name: 'main', tipId: reply.id, createdAt: time() });
    imported.push(copy);
    return {
      type: 'importProject',
      projectId: copy.id,
      records: [
        { type: 'project', value: copy },
        { type: 'branch', value: branch },
        { type: 'node', value: root },
        { type: 'node', value: reply },
        { type: 'rendering', value: { nodeId: root.id, key: 'wire', bytes: '{}' } },
      ],
    };
  }

  function small(): Operation {
    const line = random.pick(lines);
    const reply = replies.at(random.int(Math.max(1, replies.length)));
    const choices: Operation[] = [
      { type: 'updateProject', projectId: project.id, patch: { description: id('description') } },
      { type: 'updateBranch', projectId: project.id, branchId: line.branch.id, patch: { color: id('color') } },
    ];
    const [old] = ended;
    if (old !== undefined) choices.push({ type: 'dropLog', projectId: project.id, turnId: old });
    if (reply !== undefined) {
      const include = random.int(2) === 0;
      choices.push({ type: 'setIncludeThinking', projectId: project.id, nodeId: reply, include });
    }
    const chosen = random.pick(choices);
    if (chosen.type === 'dropLog') ended.shift();
    return chosen;
  }

  let keptCount = 0;
  /** Of a count of its own, so that what a seed does otherwise stays as it was. */
  function beside(): Step {
    keptCount += 1;
    // Few messages, so that what is kept beside one is changed and removed again.
    const about = [...replies.slice(0, 2), ...sideRoots.slice(-1)];
    const message = about[(keptCount >> 2) % about.length];
    const branch = lines[keptCount % lines.length]?.branch;
    if (message === undefined || branch === undefined) return [];
    return [annotates(keptCount, project.id, message), chooses(keptCount, branch, message)];
  }

  yield [{ type: 'createProject', project }];
  yield [newBranch('main', null)];
  for (;;) {
    const open = lines.flatMap((line) => (line.open ? [{ line, turn: line.open }] : []));
    const idle = lines.filter((line) => line.open === null);
    const dice = random.int(100);
    if (dice < 15 && idle.length > 0) {
      const line = random.pick(idle);
      yield [line.last !== null && serial % 2 === 0 ? reopen(line, line.last) : begin(line)];
    } else if (dice < 60 && open.length > 0) {
      yield open.slice(0, 3).map(({ line, turn }) => {
        const kind = random.int(10);
        return kind < 7 ? stream(line, turn) : commit(line, turn, kind === 9);
      });
    } else if (dice < 68) yield [sideChain()];
    else if (dice < 74) yield [removeSideChain()];
    else if (dice < 80 && lines.length < 6) yield [fork()];
    else if (dice < 86) yield [importOrDelete()];
    else yield [small(), ...beside()];
  }
}
