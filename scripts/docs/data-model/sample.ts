import type { Branch, Call, Envelope, Project, RawResponse, Rendering, Turn } from '@bough/core';
import { branchId, callId, eventsOfRaw, nodeId, projectId, sha256, thinkingOf, turnId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import { startPlay } from '../replay/play.ts';
import { CLOCK, Talk, target } from '../replay/talk.ts';

// A small project with everything in it: a turn with a tool loop, really held with the simulator, and a branch that
// forks from it.

const PROJECT = projectId('p1');
const MAIN = branchId('b1');
const TURN = turnId('t1');
const MODEL = 'sim-thinker';
const AT = '2026-11-15T12:00:00.000Z';

const envelope: Envelope = {
  provider: 'simulated',
  model: MODEL,
  systemPrompt: 'Be brief.',
  tools: [CLOCK.name],
  thinking: 'medium',
};

const project: Project = {
  id: PROJECT,
  name: 'Times',
  description: null,
  systemPrompt: 'Be brief.',
  defaults: { provider: 'simulated', model: MODEL },
  archived: false,
  createdAt: AT,
};

const branch = (id: string, name: string, tip: string, forkedFrom: string | null): Branch => ({
  id: branchId(id),
  projectId: PROJECT,
  name,
  tipId: nodeId(tip),
  forkedFromId: forkedFrom === null ? null : nodeId(forkedFrom),
  envelope,
  replayBy: 'issuer',
  keepToolsAfterBreak: false,
  pinned: false,
  hidden: false,
  color: null,
  createdAt: AT,
});

const turn: Turn = {
  id: TURN,
  projectId: PROJECT,
  branchId: MAIN,
  isThinkingMode: true,
  status: 'complete',
  createdAt: AT,
};

/** Every record of the project, in the order in which a store exports them. */
export async function sampleProject(): Promise<readonly ProjectRecord[]> {
  const simulator = await startPlay();
  try {
    const to = target(simulator, 'simulated', MODEL, { systemPrompt: 'Be brief.', tools: [CLOCK] });
    const talk = new Talk(simulator).ask('What time is it?');
    const requests = [await talk.reply(to), await talk.runTools('12:00').reply(to)].map(({ request }) => request);
    const replies = talk.path.filter(({ role }) => role === 'assistant');
    const nodes = talk.path.map((node) => ({
      ...node,
      turnId: TURN,
      createdOnBranch: MAIN,
      thinking: thinkingOf(node.contentBlocks, 'full', false),
    }));
    const calls = replies.map((node, at): ProjectRecord => {
      const raw = talk.raws.get(node.id);
      if (raw === undefined) throw new Error(`${node.id} has no raw.`);
      return {
        type: 'call',
        value: callOf(at, node.id, requests[at]?.body ?? '', raw),
        raw: { ...raw, capturedAt: AT },
      };
    });
    const renderings = requests.flatMap((request): readonly Rendering[] => request.renderings);
    return [
      { type: 'project', value: project },
      { type: 'turn', value: turn },
      ...nodes.map((value): ProjectRecord => ({ type: 'node', value })),
      { type: 'branch', value: branch('b1', 'main', 'n4', null) },
      { type: 'branch', value: branch('b2', 'other', 'n1', 'n1') },
      ...calls,
      ...renderings.map((value): ProjectRecord => ({ type: 'rendering', value })),
    ];
  } finally {
    await simulator.close();
  }
}

function callOf(at: number, node: string, body: string, raw: RawResponse): Call {
  const { provider, deployment, model } = raw;
  return {
    id: callId(`c${at + 1}`),
    projectId: PROJECT,
    turnId: TURN,
    nodeId: nodeId(node),
    provider,
    deployment,
    model,
    status: 'complete',
    requestHash: sha256(body),
    providerRequestId: 'req_1',
    responseId: `msg_${at + 1}`,
    startedAt: AT,
    firstByteAt: AT,
    endedAt: AT,
    usage: { inputTokens: 96, outputTokens: 30, reasoningTokens: 12 },
    cost: null,
    errorCode: null,
  };
}

/** The first record of a type. */
export function valueOf(records: readonly ProjectRecord[], type: ProjectRecord['type'], at = 0): unknown {
  const record = records.filter((candidate) => candidate.type === type)[at];
  if (record === undefined) throw new Error(`There is no ${type}.`);
  return record.value;
}

/** A raw response with only the first of its meaningful events. */
export function rawOf(records: readonly ProjectRecord[]): unknown {
  const raw = records.find((record) => record.type === 'call')?.raw;
  if (raw === undefined || raw === null) throw new Error('There is no raw.');
  const events = eventsOfRaw(raw).filter(({ event }) => event?.startsWith('content_block'));
  return { ...raw, payload: events.slice(0, 2) };
}
