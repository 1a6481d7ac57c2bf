import type { NodeId, RawResponse, Repair } from '@bough/core';
import type { Provider, Violation } from '@bough/providers';
import { preflightBody } from '@bough/providers';
import type { ClientBody } from '../dialect.ts';
import { TOKEN_START } from '../route/token.ts';
import { listKey, listOf } from './elements.ts';
import { withoutReasoning } from './plainest.ts';
import type { Restored } from './restore.ts';
import { restored } from './restore.ts';
import { respelled } from './spelling.ts';

export { FIRM_START, replyFirm, requestFirms } from './firm.ts';

type Json = Readonly<Record<string, unknown>>;

export interface RepairInput {
  readonly body: ClientBody;
  readonly provider: Provider;
  /** As the client sent them: the version and the betas decide how its body is judged. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The stored reply that a message of the assistant repeats, if it was recognised. */
  readonly nodeOf: (message: number) => NodeId | null;
  readonly rawOf: (node: NodeId) => RawResponse | undefined;
  /** The client returns every reply as it was made: nothing of them is read. */
  readonly isIntact: boolean;
  /** What of the body was not read again, the provider took before: only what is new is judged. */
  readonly isTaken?: boolean | undefined;
}

export interface RepairedBody {
  readonly text: string;
  readonly repairs: readonly Repair[];
}

/**
 * The rules about history. Settings, tools and files are the client's own business: a rulebook may be older than a
 * client, and a request that would be taken must not be made worse.
 */
const HISTORY =
  /^(?:ANT-(?:PAIR|THINK|TEXT)|OAR-(?:PAIR|REASON|ATOM|PROG)|OAC-(?:PAIR|REASON|DETAIL)|GEM-(?:PAIR|SIG))-/;

/** The smallest change that makes a client's request whole again; null if it is, or cannot be made so. */
export function repairBody(input: RepairInput): RepairedBody | null {
  const { body } = input;
  if (isAsBefore(input)) return null;
  const before = body.json();
  const back = input.isIntact ? { list: listOf(body.protocol, before), repairs: [] } : restored(input);
  const { list, repairs } = withoutTokens(body, back);
  const whole = repairs.length === 0 ? before : { ...before, [listKey(body.protocol)]: list };
  return obeying(input, before, whole, repairs);
}

/**
 * Whether nothing needs to be mended, as what is new tells. If that breaks a rule, the whole is judged: it may only
 * look so without what stands before it.
 */
function isAsBefore({ body, provider, headers, isIntact, isTaken = false }: RepairInput): boolean {
  const { resumed, model, text } = body;
  if (!isIntact || !isTaken || resumed === undefined || text.includes(TOKEN_START)) return false;
  const { violations } = preflightBody(resumed.json, { deployment: provider.deployment, model, headers, only });
  return violations.every(({ kind }) => kind !== 'rejection');
}

const only = (rule: string): boolean => HISTORY.test(rule);

/** What a route gave a client as a signature means nothing to a provider, and must never reach one. */
function withoutTokens({ protocol, text }: ClientBody, { list, repairs }: Restored): Restored {
  if (!text.includes(TOKEN_START)) return { list, repairs };
  const kept = withoutReasoning(protocol, list, (element) => JSON.stringify(element).includes(TOKEN_START));
  const repair = {
    rule: 'foreign',
    at: listKey(protocol),
    what: 'Reasoning that another provider made behind a route is left out.',
  };
  return { list: kept, repairs: [...repairs, repair] };
}

/**
 * The same conversation in its plainest form, for a provider that refused it: what was said, called and answered,
 * without reasoning. Null if that is what was sent.
 */
export function plainestBody(input: Pick<RepairInput, 'body' | 'provider' | 'headers'>): RepairedBody | null {
  const { protocol, json } = input.body;
  const before = json();
  const list = listOf(protocol, before);
  const plain = withoutReasoning(protocol, list);
  if (JSON.stringify(plain) === JSON.stringify(list)) return null;
  const repair = { rule: 'plainest', at: listKey(protocol), what: 'The provider had refused the reasoning in it.' };
  return obeying(input, before, { ...before, [listKey(protocol)]: plain }, [repair]);
}

function obeying(
  { body, provider, headers }: Pick<RepairInput, 'body' | 'provider' | 'headers'>,
  before: Json,
  whole: Json,
  done: readonly Repair[],
): RepairedBody | null {
  const { deployment } = provider;
  const judged = preflightBody(whole, { deployment, model: body.model, headers, only });
  const mended = judged.violations.filter(({ kind, repaired }) => kind === 'rejection' && repaired);
  const repairs = [...done, ...mended.map(toRepair)];
  if (repairs.length === 0) return null;
  return { text: respelled(body.text, before, judged.body), repairs };
}

const toRepair = ({ rule, path, message }: Violation): Repair => ({ rule, at: path, what: message });
