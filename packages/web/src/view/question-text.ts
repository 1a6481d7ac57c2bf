import type { WholeQuestionSetView } from '@bough/api/client';
import { readQuestions } from '@bough/core';

/**
 * Questions as a person edits them: one in each line where that says all of them, JSON Lines otherwise. Read again by
 * the server, they are the same questions.
 */
export function textOfQuestions(questions: WholeQuestionSetView['questions']): string {
  const isPlain = questions.every(
    ({ id, text, expected }, index) =>
      expected === undefined && id === String(index + 1) && !/[\r\n]/.test(text) && text === text.trim(),
  );
  // A first line that looks like JSON would be read as JSON.
  if (isPlain && !/^[{"\uFEFF]/.test(questions[0]?.text ?? '')) return questions.map(({ text }) => text).join('\n');
  return questions
    .map(({ id, text, expected }, index) =>
      JSON.stringify({
        ...(id === String(index + 1) ? {} : { id }),
        question: text,
        ...(expected === undefined ? {} : { expected }),
      }),
    )
    .join('\n');
}

/** How many questions a text has; null where it cannot be read yet. */
export function countQuestions(text: string): number | null {
  if (text.trim() === '') return 0;
  try {
    return readQuestions(text).length;
  } catch {
    // What is wrong with which line is told by the server, when it is to be saved.
    return null;
  }
}
