import type { Client, ModelView, ProviderView } from '@bough/api';
import type { Observed } from './conversation.ts';
import { linesOf, observe, say } from './conversation.ts';

/** One line of the table. */
export interface EndpointCheck {
  readonly name: string;
  /** What the endpoint did. */
  readonly endpoint: string;
  /** What Bough does about it. */
  readonly bough: string;
  /** What differs from the rulebook; null where nothing does. */
  readonly difference: string | null;
  readonly failed: boolean;
  /** Whether what is checked happened at all: an endpoint that did nothing wrong need not have done it right. */
  readonly seen: boolean;
}

const NOT_SEEN = 'not seen';

export interface Target {
  readonly client: Client;
  readonly provider: ProviderView;
  readonly model: ModelView;
}

/** A simulated model does what it is told; a real one is asked. */
interface Wording {
  readonly plain: string;
  readonly tool: string;
  readonly parallel: string;
  readonly long: string;
}

const ASKED: Wording = {
  plain: 'Answer in one short sentence: why is the sky blue?',
  tool: 'Use the calculator tool to compute 1234 * 5678, then answer with the number only.',
  parallel: 'In one step call the calculator with 21 * 2 and call current_time, both at once. Then answer in one line.',
  long: 'Write about 300 words about the history of the calendar.',
};
const TOLD: Wording = {
  plain: 'Why is the sky blue?',
  tool: '/sim tools calculator',
  parallel: '/sim tools x2',
  long: '/sim slow 20 /sim long 4000',
};

export const CHECKS = [
  'address and key',
  'streaming',
  'thinking',
  'signature round trip',
  'tool loop with thinking',
  'parallel tools',
  'model switch',
  'interruption and continuation',
] as const;

/** Small real conversations in a project of their own, which is removed afterwards. */
export async function checkEndpoint(
  target: Target,
  onCheck: (check: EndpointCheck) => void,
): Promise<{ readonly checks: readonly EndpointCheck[]; readonly cost: number | null }> {
  const { client, provider, model } = target;
  const reached = await addressAndKey(target);
  onCheck(reached);
  // What the free request shows need not be paid for.
  if (reached.failed) return { checks: [reached], cost: null };
  const words = provider.simulated ? TOLD : ASKED;
  const { project } = await client.createProject({
    name: 'bough doctor',
    provider: provider.id,
    model: model.id,
    thinking: model.canThink ? 'low' : 'off',
    ...(model.canUseTools ? { tools: ['calculator', 'current_time'] } : {}),
  });
  const checks: EndpointCheck[] = [reached];
  const costs: (number | null)[] = [];
  const add = (check: EndpointCheck): void => {
    checks.push(check);
    onCheck(check);
  };
  const talk = async (ref: string, message: string): Promise<Observed> => {
    const observed = await say(client, project.id, ref, message);
    costs.push(observed.cost);
    return observed;
  };
  try {
    const first = await talk('main', words.plain);
    add(streaming(first));
    if (first.status === 'error') return { checks, cost: sumOf(costs) };
    add(thinking(first, model));
    add(await roundTrip(target, project.id, first, () => talk('main', words.plain)));
    if (model.canUseTools) {
      add(toolLoop(await talk('main', words.tool)));
      add(parallelTools(await talk('main', words.parallel)));
    }
    add(await modelSwitch(target, project.id, talk, words.plain));
    add(await interruption(target, project.id, words.long, costs));
    return { checks, cost: sumOf(costs) };
  } finally {
    await client.deleteProject(project.id);
  }
}

/** The same request that the page makes to test a provider. */
async function addressAndKey({ client, provider }: Target): Promise<EndpointCheck> {
  const { outcome, models, message } = await client.testProvider(provider.id);
  const works = outcome === 'works';
  return {
    name: 'address and key',
    endpoint: works ? (models === null ? 'answers; has no list of models' : `lists ${models} model(s)`) : outcome,
    bough: works ? 'asks for unlisted models there' : 'sends nothing more',
    difference: works ? null : (message ?? outcome),
    failed: !works,
    seen: true,
  };
}

function streaming(observed: Observed): EndpointCheck {
  const parts = linesOf(observed, 'text').length + linesOf(observed, 'thinking').length;
  return verdict('streaming', observed, {
    endpoint: parts === 0 ? NOT_SEEN : `${parts} piece(s)`,
    bough: 'shows each piece once it is stored',
    difference: parts > 1 ? null : parts === 1 ? 'the reply came in one piece' : 'the reply is empty',
  });
}

function thinking(observed: Observed, model: ModelView): EndpointCheck {
  const shown = linesOf(observed, 'thinking').length > 0;
  const signed = linesOf(observed, 'thinking_signature').length > 0;
  const expected = model.canThink && model.reasoning !== 'none';
  return verdict('thinking', observed, {
    endpoint: shown ? `reasoning is shown${signed ? ' and signed' : ', unsigned'}` : signed ? 'signed only' : NOT_SEEN,
    bough: signed ? 'keeps the signature with its text' : shown ? 'keeps what came' : 'had nothing to keep',
    difference: expected && !shown ? `${model.id} is known to show its reasoning (${model.reasoning})` : null,
  });
}

async function roundTrip(
  { client }: Target,
  project: string,
  first: Observed,
  again: () => Promise<Observed>,
): Promise<EndpointCheck> {
  const isSigned = linesOf(first, 'thinking_signature').length > 0;
  const { report, violations } = await client.context(project, { ref: 'main', message: 'And?' });
  const reply = report.find(({ role }) => role === 'assistant');
  const observed = await again();
  return verdict('signature round trip', observed, {
    endpoint:
      observed.status !== 'complete' ? 'refuses its own reply' : isSigned ? 'accepts its own reply back' : NOT_SEEN,
    bough: `sends it back ${reply?.fidelity ?? 'not at all'}${violations.length > 0 ? `, after ${violations.length} repair(s)` : ''}`,
    difference: isSigned ? null : 'the reply had no signature; without one it was accepted',
  });
}

function toolLoop(observed: Observed): EndpointCheck {
  const calls = linesOf(observed, 'tool_call').length;
  const thought = linesOf(observed, 'thinking').length + linesOf(observed, 'thinking_signature').length > 0;
  const results = linesOf(observed, 'tool_result').length;
  return verdict('tool loop with thinking', observed, {
    endpoint:
      calls === 0
        ? NOT_SEEN
        : `${calls} call(s), then ${observed.status === 'complete' ? 'an answer' : observed.status}`,
    bough: calls === 0 ? 'ran none' : `ran ${results} and sent ${thought ? 'reasoning and results' : 'results'} back`,
    difference: calls === 0 ? 'the model called no tool' : thought ? null : 'no reasoning was seen',
  });
}

function parallelTools(observed: Observed): EndpointCheck {
  const firstResult = observed.lines.findIndex(({ type }) => type === 'tool_result');
  const together = observed.lines.slice(0, Math.max(0, firstResult)).filter(({ type }) => type === 'tool_call').length;
  return verdict('parallel tools', observed, {
    endpoint: together < 2 ? NOT_SEEN : `${together} call(s) in one reply`,
    bough: together < 2 ? 'answers each in the next message' : 'answers all of them in the next message',
    difference: together === 0 ? 'the model called no tool' : together < 2 ? 'calls came one by one' : null,
  });
}

async function modelSwitch(
  { client, provider, model }: Target,
  project: string,
  talk: (ref: string, message: string) => Promise<Observed>,
  message: string,
): Promise<EndpointCheck> {
  const other = provider.models.find(({ id }) => id !== model.id);
  const name = 'model switch';
  if (other === undefined) {
    const difference = 'the provider has one model';
    return { name, endpoint: NOT_SEEN, bough: 'had nothing to switch to', difference, failed: false, seen: false };
  }
  const { branch } = await client.createBranch(project, { name: 'other model', fromRef: 'main', model: other.id });
  const { report } = await client.context(project, { ref: branch.id, message });
  const canonical = report.filter(({ fidelity }) => fidelity === 'canonical').length;
  const observed = await talk(branch.id, message);
  return verdict(name, observed, {
    endpoint: `${other.id} ${observed.status === 'complete' ? 'accepts' : 'refuses'} the history of ${model.id}`,
    bough: `sends ${canonical} node(s) as plain text`,
    difference: null,
  });
}

async function interruption(
  { client }: Target,
  project: string,
  message: string,
  costs: (number | null)[],
): Promise<EndpointCheck> {
  const { branch } = await client.createBranch(project, { name: 'interrupted', fromRef: 'main' });
  let asked = false;
  const stopped = await observe(
    client,
    project,
    await client.chat(project, { ref: branch.id, message }),
    async (line, lines) => {
      const turn = lines.find(({ type }) => type === 'turn');
      if (asked || line.type !== 'text' || turn?.type !== 'turn') return;
      asked = true;
      await client.interrupt(project, { turnId: turn.turnId });
    },
  );
  const kept = linesOf(stopped, 'text').length;
  const name = 'interruption and continuation';
  if (stopped.status !== 'interrupted') {
    return verdict(name, stopped, {
      endpoint: NOT_SEEN,
      bough: 'had nothing to continue',
      difference: 'the reply had ended before it was stopped',
    });
  }
  const continued = await observe(client, project, await client.continueTurn(project, { ref: branch.id }));
  costs.push(stopped.cost, continued.cost);
  return verdict(name, continued, {
    endpoint: continued.status === 'complete' ? 'goes on after half a reply' : 'refuses half a reply',
    bough: `kept ${kept} piece(s) and sent what was valid of them`,
    difference: null,
  });
}

/** A turn that the endpoint refused is a failure whatever else was seen: Bough's requests must not be rejected. */
function verdict(
  name: string,
  { status, error }: Observed,
  seen: Pick<EndpointCheck, 'endpoint' | 'bough' | 'difference'>,
): EndpointCheck {
  if (status === 'complete') return { name, ...seen, failed: false, seen: seen.endpoint !== NOT_SEEN };
  const reason = error === null ? `the turn ended as ${status}` : `${error.code}: ${error.message}`;
  return { name, ...seen, difference: reason, failed: true, seen: true };
}

function sumOf(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
}
