import { projectId } from '@bough/core';
import type { BudgetVerdict } from '@bough/engine';
import { budgetNote, overBudgetSentence } from '@bough/engine';
import { sessionProject } from '../clients/index.ts';
import { refusalAnswer } from '../dialects/errors.ts';
import type { AnswerPlan, ForwardPlan, Plan } from '../pass/hook.ts';
import { routedEnvelope } from '../route/index.ts';
import type { ConductorEnvironment, Request } from './calls.ts';
import { inTime, PATIENCE_MS } from './calls.ts';
import type { Whereabouts } from './find.ts';

const NOTHING: BudgetVerdict = { refusedBy: null, told: [] };

/**
 * Whether a request may leave. A store that is away stops nobody: nothing is counted then, and what passes is told as
 * not recorded by whoever would have recorded it.
 */
export async function budgetOf(
  env: ConductorEnvironment,
  request: Request,
  finding: Promise<Whereabouts | Plan>,
): Promise<BudgetVerdict> {
  if (env.budgets === undefined) return NOTHING;
  const asked = ask(env.budgets, request, finding);
  if (env.whenStoreFails === 'refuse') return asked;
  return inTime(asked, PATIENCE_MS, () => undefined).catch(() => NOTHING);
}

async function ask(
  budgets: NonNullable<ConductorEnvironment['budgets']>,
  { arrival, body, client, routed }: Request,
  finding: Promise<Whereabouts | Plan>,
): Promise<BudgetVerdict> {
  const provider = routed?.provider ?? arrival.provider;
  const model = routed === null ? body.model : routedEnvelope(routed).model;
  const own = arrival.project ?? sessionProject(client);
  // Only a client that says nothing about its conversation has to be looked for first.
  const found = own === null ? await finding : null;
  const project = own === null ? (found !== null && 'project' in found ? found.project : null) : projectId(own);
  const isPriced = provider.modelInfo(model).price !== undefined;
  return budgets.admit({ project, client: client.name, model, isPriced });
}

/**
 * Null: it may leave. Nothing of a request that is refused is recorded: no provider was asked. Codex obeys no header
 * and asks five times more after a status that it does not expect; 400 it takes for final, and shows what it says.
 */
export function budgetRefusal({ arrival, client }: Request, { refusedBy }: BudgetVerdict): AnswerPlan | null {
  if (refusedBy === null) return null;
  const status = client.name === 'codex' ? 400 : 402;
  const refusal = { status, message: overBudgetSentence(refusedBy), retry: false };
  return { type: 'answer', ...refusalAnswer(arrival.protocol, refusal) };
}

/** The plan, and in its answer what the client should know about its budgets. */
export function withNotes(plan: Plan, verdict: BudgetVerdict): Plan {
  if (verdict.told.length === 0) return plan;
  const notes = { 'x-bough-budget': verdict.told.map(budgetNote).join('; ') };
  if (plan.type === 'answer') return { ...plan, headers: { ...plan.headers, ...notes } };
  return { ...plan, tap: noted(plan.tap, notes, verdict) };
}

function noted(tap: ForwardPlan['tap'], notes: Readonly<Record<string, string>>, verdict: BudgetVerdict) {
  const { head } = tap;
  return {
    ...(tap.signal === undefined ? {} : { signal: tap.signal }),
    // Read when the answer begins: a tap that is still being made has no headers yet.
    get headers() {
      return { ...tap.headers, ...notes };
    },
    ...(head === undefined
      ? {}
      : {
          head: async (reply: Parameters<typeof head>[0]): Promise<Plan | null> => {
            const instead = await head(reply);
            return instead === null ? null : withNotes(instead, verdict);
          },
        }),
    piece: tap.piece,
    end: tap.end,
  };
}
