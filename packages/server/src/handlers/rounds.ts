import type {
  EstimateRoundInput,
  QuestionSetView,
  RoundTableView,
  RoundView,
  UpdateQuestionSetInput,
  WholeQuestionSetView,
} from '@bough/api';
import { routes } from '@bough/api';
import { projectId } from '@bough/core';
import type { QuestionSet, Round, RoundTable, RoundWish, TableAnswer } from '@bough/engine';
import { toProblem } from '../problem.ts';
import { bytesBody } from '../stream/bytes.ts';
import { attachment, fileNameOf } from '../transfer/export.ts';
import { roundCsv } from '../views/round-csv.ts';
import type { App, Parts } from './parts.ts';

const AT_ONCE = 3;
const PAGE = 50;

/** Question sets, and the rounds in which they are asked. */
export function roundHandlers(app: App, { engine }: Parts): void {
  app.openapi(routes.listQuestionSets, async (context) => {
    const rounds = await engine.listRounds();
    return context.json({ sets: (await engine.listQuestionSets()).map((set) => setView(set, rounds)) }, 200);
  });
  app.openapi(routes.createQuestionSet, async (context) => {
    const { from, ...wish } = context.req.valid('json');
    const set = await engine.createQuestionSet({ ...wish, from: sourceOf(from) });
    return context.json({ set: wholeView(set, []) }, 201);
  });
  app.openapi(routes.getQuestionSet, async (context) => {
    const set = await engine.getQuestionSet(context.req.valid('param').setId);
    return context.json({ set: wholeView(set, await engine.listRounds()) }, 200);
  });
  app.openapi(routes.updateQuestionSet, async (context) => {
    const { from, ...change } = context.req.valid('json');
    const more = from === undefined ? {} : { from: sourceOf(from) };
    const set = await engine.changeQuestionSet(context.req.valid('param').setId, { ...change, ...more });
    return context.json({ set: wholeView(set, await engine.listRounds()) }, 200);
  });
  app.openapi(routes.deleteQuestionSet, async (context) => {
    await engine.deleteQuestionSet(context.req.valid('param').setId);
    return context.body(null, 204);
  });
  app.openapi(routes.estimateRound, async (context) => {
    const wish = wishOf(context.req.valid('json'));
    const estimates = await engine.estimateRound(context.req.valid('param').setId, wish);
    const targets = estimates.map(({ target, refused, ...costs }) => {
      const problem = refused === null ? null : toProblem(refused, '');
      return {
        ...costs,
        label: target?.label ?? null,
        refused: problem === null ? null : { code: problem.code, detail: problem.detail },
      };
    });
    return context.json({ targets }, 200);
  });
  app.openapi(routes.startRound, async (context) => {
    const { limit, atOnce = AT_ONCE, unpriced, clientRequestId, ...wish } = context.req.valid('json');
    const more = { limit, atOnce, unpriced, clientRequestId };
    const round = await engine.startRound(context.req.valid('param').setId, { ...wishOf(wish), ...more });
    return context.json({ round: roundView(round) }, 202);
  });
  app.openapi(routes.getRound, async (context) => {
    const { offset = 0, limit = PAGE, characters } = context.req.valid('query');
    const table = await engine.roundTable(context.req.valid('param').roundId, { offset, limit });
    return context.json(tableView(table, characters), 200);
  });
  app.openapi(routes.roundCsv, async (context) => {
    const { round, set } = await engine.roundTable(context.req.valid('param').roundId, { offset: 0, limit: 1 });
    const name = `${fileNameOf(set.name)} ${round.createdAt.slice(0, 10)}.csv`;
    return context.body(bytesBody(roundCsv(engine, round.id), NOTHING_LEFT), 200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': attachment(name),
    });
  });
  app.openapi(routes.updateRound, async (context) => {
    const round = await engine.steerRound(context.req.valid('param').roundId, context.req.valid('json'));
    return context.json({ round: roundView(round) }, 200);
  });
  app.openapi(routes.deleteRound, async (context) => {
    await engine.deleteRound(context.req.valid('param').roundId);
    return context.body(null, 204);
  });
}

type Source = NonNullable<UpdateQuestionSetInput['from']>;

const sourceOf = (from: Source) => ('projectId' in from ? { ...from, projectId: projectId(from.projectId) } : from);

const NOTHING_LEFT = (): Promise<void> => Promise.resolve();

function wishOf({
  targets,
  samples = 1,
  maxTokens = null,
}: Omit<EstimateRoundInput, 'maxTokens'> & { maxTokens?: number | null | undefined }): RoundWish {
  return { targets, samples, maxTokens };
}

function setView(
  { id, name, systemPrompt, questions, createdAt }: QuestionSet,
  rounds: readonly Round[],
): QuestionSetView {
  const own = rounds.filter(({ setId }) => setId === id).map(roundView);
  return { id, name, systemPrompt, count: questions.length, createdAt, rounds: own };
}

function wholeView(set: QuestionSet, rounds: readonly Round[]): WholeQuestionSetView {
  return { ...setView(set, rounds), questions: set.questions.map((question) => ({ ...question })) };
}

function roundView(round: Round): RoundView {
  const { id, setId, projectId: project, targets, samples, limit, maxTokens, atOnce, answers } = round;
  const { state, because, progress, createdAt, endedAt } = round;
  return {
    id,
    setId,
    projectId: project,
    samples,
    limit,
    maxTokens,
    atOnce,
    answers,
    state,
    because,
    createdAt,
    endedAt,
    ...progress,
    targets: targets.map(({ label, provider, model, requested, preset = null }) => ({
      label,
      provider,
      model,
      thinking: requested.thinking ?? null,
      preset,
    })),
  };
}

function tableView({ round, set, sums, rows }: RoundTable, characters: number | undefined): RoundTableView {
  return {
    round: roundView(round),
    set: { id: set.id, name: set.name, count: set.questions.length },
    sums: sums.map(({ target, ...sum }) => ({ label: target.label, ...sum })),
    rows: rows.map(({ question, answers }) => ({
      question: { ...question },
      answers: answers.map((answer) => answerView(answer, characters)),
    })),
  };
}

function answerView(
  { target, sample, answer, text }: TableAnswer,
  characters: number | undefined,
): RoundTableView['rows'][number]['answers'][number] {
  return {
    target,
    sample,
    // Half a character would be shown as rubbish.
    text: characters === undefined ? text : text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, ''),
    status: answer?.status ?? 'pending',
    branch: answer?.branch ?? null,
    nodeId: answer?.nodeId ?? null,
    cost: answer?.cost ?? null,
    milliseconds: answer?.milliseconds ?? null,
    error: answer?.error ?? null,
  };
}
