import type { AskEstimate, AskInput } from '@bough/api';
import { routes } from '@bough/api';
import { nodeId, projectId } from '@bough/core';
import type { Asked, AskRequest, TargetEstimate } from '@bough/engine';
import { HttpProblem, toProblem } from '../problem.ts';
import { checkFiles } from '../uploads/index.ts';
import { noticeView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

/** One message to several models: what it costs, who answers, and what is kept of it. */
export function askHandlers(app: App, { engine, store }: Parts): void {
  app.openapi(routes.ask, async (context) => {
    const request = context.req.valid('json');
    if (request.message !== undefined) await checkFiles(store.blobs, request.message);
    const asked = await engine.ask(projectId(context.req.valid('param').id), requestOf(request));
    const { answers } = asked;
    if (asked.nodeId === null) throw nobodyAsked(asked);
    return context.json(
      {
        nodeId: asked.nodeId,
        answers: answers.map(({ target, started: { turn, branch } }) => ({
          target,
          turnId: turn.id,
          branch: branch.name,
          branchId: branch.id,
          provider: branch.envelope.provider,
          model: branch.envelope.model,
        })),
        refused: refusedIn(asked),
        notices: noticesIn(asked),
      },
      202,
    );
  });
  app.openapi(routes.askEstimate, async (context) => {
    const request = context.req.valid('json');
    if (request.message !== undefined) await checkFiles(store.blobs, request.message);
    const estimates = await engine.estimateAsk(projectId(context.req.valid('param').id), requestOf(request));
    return context.json(estimateView(estimates), 200);
  });
  app.openapi(routes.keepAnswers, async (context) => {
    const choice = context.req.valid('json');
    const { deleted, trashIds } = await engine.keepAnswers(projectId(context.req.valid('param').id), {
      ...choice,
      nodeId: nodeId(choice.nodeId),
    });
    return context.json({ deleted: [...deleted], trashIds: [...trashIds] }, 200);
  });
}

function requestOf({ fromNodeId, ...request }: AskInput): AskRequest {
  return { ...request, fromNodeId: fromNodeId === undefined ? undefined : nodeId(fromNodeId) };
}

function refusedIn({ refused }: Asked) {
  return refused.map(({ target, count, error }) => {
    const { code, detail } = toProblem(error, '');
    return { target, count, code, detail };
  });
}

/** Siblings share their model: what is not known about it is said once for each target. */
function noticesIn({ answers }: Asked) {
  const firsts = new Map(answers.toReversed().map(({ target, started }) => [target, started.notices ?? []]));
  return [...firsts.values()].flat().map(noticeView);
}

/** Nothing was stored: the request failed, with the reason of the first target and those of all of them. */
function nobodyAsked(asked: Asked): HttpProblem {
  const { status, code, extra } = toProblem(asked.refused[0]?.error, '');
  const refused = refusedIn(asked);
  const sentences = [...new Set(refused.map(({ detail }) => detail))];
  return new HttpProblem(status, code, sentences.join(' '), { ...extra, refused });
}

function estimateView(estimates: readonly TargetEstimate[]): AskEstimate {
  const counted = estimates.filter(({ estimate }) => estimate !== null);
  const priced = counted.filter(({ estimate }) => estimate?.mostCost != null);
  const sum = (of: (each: TargetEstimate) => number): number => priced.reduce((total, each) => total + of(each), 0);
  return {
    targets: estimates.map(({ n, lock, estimate, refused }) => {
      const problem = refused === null ? null : toProblem(refused, '');
      return {
        provider: lock?.provider ?? null,
        model: lock?.model ?? null,
        n,
        estimate,
        refused: problem === null ? null : { code: problem.code, detail: problem.detail },
      };
    }),
    inputCost: priced.length === 0 ? null : sum(({ n, estimate }) => n * (estimate?.inputCost ?? 0)),
    mostCost: priced.length === 0 ? null : sum(({ n, estimate }) => n * (estimate?.mostCost ?? 0)),
    unpriced: counted.reduce((total, { n, estimate }) => total + (estimate?.mostCost == null ? n : 0), 0),
  };
}
