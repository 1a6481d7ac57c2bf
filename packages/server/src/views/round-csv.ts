import type { Engine, RoundTable } from '@bough/engine';
import { csvOf, csvRows } from './csv.ts';

const COLUMNS = [
  'questionId',
  'question',
  'expected',
  'target',
  'provider',
  'model',
  'sample',
  'status',
  'answer',
  'cost',
  'milliseconds',
  'outputTokens',
  'error',
  'branch',
] as const;

const PAGE = 50;

/** All answers of a round, one in a line: a table of questions by models has no place for cost and time. */
export async function* roundCsv(engine: Engine, id: string): AsyncGenerator<Uint8Array, void> {
  const bytes = new TextEncoder();
  // Before the first byte is sent: a round that does not exist is an error, and no empty table.
  let table = await engine.roundTable(id, { offset: 0, limit: PAGE });
  yield bytes.encode(csvOf(COLUMNS, rowsOf(table)));
  for (let offset = PAGE; offset < table.set.questions.length; offset += PAGE) {
    table = await engine.roundTable(id, { offset, limit: PAGE });
    yield bytes.encode(csvRows(COLUMNS, rowsOf(table)));
  }
}

function rowsOf({ round, rows }: RoundTable) {
  return rows.flatMap(({ question, answers }) =>
    answers.map(({ target, sample, answer, text }) => ({
      questionId: question.id,
      question: question.text,
      expected: question.expected ?? null,
      target: round.targets[target]?.label ?? null,
      provider: round.targets[target]?.provider ?? null,
      model: round.targets[target]?.model ?? null,
      sample: sample + 1,
      status: answer?.status ?? 'pending',
      answer: text,
      cost: answer?.cost ?? null,
      milliseconds: answer?.milliseconds ?? null,
      outputTokens: answer?.outputTokens ?? null,
      error: answer?.error?.detail ?? null,
      branch: answer?.branch ?? null,
    })),
  );
}
