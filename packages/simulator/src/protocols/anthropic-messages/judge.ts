import { isPlainObject } from '@bough/core';
import type { ClaudeTraits, ModelInfo } from '@bough/providers';
import { claudeTraitsOf, PROTOCOLS } from '@bough/providers';
import type { SimulatedRequest } from '../../simulated-protocol.ts';
import { scriptOf } from '../../commands/index.ts';
import { accountOf } from '../../prompt-cache/index.ts';
import type { World } from '../../world.ts';
import { judgeSummary } from './compaction.ts';
import type { Refusal, Verdict } from './history.ts';
import { judgeHistory } from './history.ts';
import { judgeFound } from './found.ts';
import { modelNamed, playedDeployment } from './models.ts';
import { judgeServers } from './mcp-servers.ts';
import { judgeContainer } from './programs.ts';
import { promptOf } from './prompt.ts';
import { schemaProblem } from './schema.ts';
import { isSealed } from './signatures.ts';
import { withThread } from './threads.ts';
import type { Prefixes, Turn } from './turns.ts';
import { baseOf, prefixesOf, turnsOf } from './turns.ts';
import { judgeUploads } from './uploads.ts';
import { withheldThoughts } from './withheld.ts';

type Json = Readonly<Record<string, unknown>>;

/** Everything known about a request once it has been accepted. */
export interface Accepted {
  readonly body: Json;
  readonly model: ModelInfo;
  readonly traits: ClaudeTraits;
  readonly betas: readonly string[];
  readonly turns: readonly Turn[];
  readonly prefixes: Prefixes;
  readonly verdict: Verdict;
  /** Thoughts that the client left out although they would have been taken. */
  readonly withheld: readonly string[];
  /** Whose request it is: caches are kept apart by account. */
  readonly account: string;
}

export interface Refused {
  readonly status: number;
  readonly message: string;
  readonly rule: string;
  readonly code?: string | undefined;
}

/** Whether a request is accepted, and what follows from what it says; the first reason against it otherwise. */
export function judge({ body: sent, headers }: SimulatedRequest, world: World, counting: boolean): Accepted | Refused {
  const { 'anthropic-version': version, 'anthropic-beta': beta = '' } = headers;
  if (version === undefined) return invalid('anthropic-version: header is required');
  const betas = beta.split(',').flatMap((name) => name.trim() || []);
  const unknown = betas.filter((name) => !DATED.test(name));
  if (unknown.length > 0) return invalid(unknownBetas(unknown));
  const problem = schemaProblem(sent, { counting, betas, isIssued: (block) => isSealed(block, world) });
  if (problem !== null || !isPlainObject(sent)) return invalid(problem ?? '');
  const body = withThread(sent, world);
  if (isRefusal(body)) return refusedBy(body);

  const deployment = playedDeployment();
  const id = String(body['model']);
  const model = modelNamed(id);
  if (model === null) return { status: 404, rule: 'ANT-SIM-5', message: `model: ${id}` };
  const asked = counting ? { ...body, max_tokens: 1 } : body;
  const own = { 'anthropic-version': version, 'anthropic-beta': beta };
  const headed = { ...deployment, headers: { ...deployment.headers, ...own } };
  const violations = PROTOCOLS['anthropic-messages'].check(asked, model, headed);
  const broken = violations.find(({ kind }) => kind === 'rejection');
  if (broken !== undefined) return { ...broken, code: broken.errorCode };
  for (const { rule, path, message } of violations)
    world.note({ kind: 'silent_drop', rule, detail: `${path}: ${message}` });

  const turns = turnsOf(body);
  const summary = judgeSummary(turns, baseOf(body).base, world);
  const script = scriptOf(promptOf(body, turns, () => false));
  const refusal =
    summary.refusal ?? judgeServers(body) ?? judgeContainer(body, turns, script, world) ?? judgeFound(turns, world);
  if (refusal !== null) return refusedBy(refusal);
  const unknownFile = judgeUploads(body, turns, betas, world);
  if (unknownFile !== null) return unknownFile;
  const prefixes = prefixesOf(body, turns, summary.ends);
  const traits = claudeTraitsOf(model);
  const canDrop = betas.includes('thinking-binding-controls-2026-08-01');
  const onMismatch = wantsDrop(body) && canDrop ? 'drop_block' : 'error';
  const options = { model: model.id, traits, prefixes, onMismatch, canDrop } as const;
  const verdict = judgeHistory(turns, options, world);
  if (verdict.refusal !== null) return refusedBy(verdict.refusal);
  const withheld = withheldThoughts(turns, options, world);
  return { body, model, traits, betas, turns, prefixes, verdict, withheld, account: accountOf(headers) };
}

const invalid = (message: string): Refused => ({ status: 400, rule: 'ANT-SIM-5', message });

const refusedBy = ({ status = 400, ...refusal }: Refusal): Refused => ({ status, ...refusal });

function isRefusal(value: Json | Refusal): value is Refusal {
  return value['rule'] === 'ANT-SIM-6';
}

/** Every beta has a date. Which ones an organisation may use only the provider knows: all dated ones are accepted. */
const DATED = /-\d{4}-?\d{2}-?\d{2}$/;

function unknownBetas(names: readonly string[]): string {
  const values = names.map((name) => `\`${name}\``).join(', ');
  return (
    `Unexpected value(s) ${values} for the \`anthropic-beta\` header. Please consult our documentation at ` +
    'platform.claude.com/docs or try again without the header.'
  );
}

function wantsDrop({ thinking }: Json): boolean {
  const binding = isPlainObject(thinking) ? thinking['block_binding'] : undefined;
  return isPlainObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}
