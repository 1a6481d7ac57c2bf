import { readQuestions } from '@bough/core';
import { expect, it } from 'vitest';
import { countQuestions, textOfQuestions } from './question-text.ts';

it('WEB-761: questions that are edited as text come back as the same questions', () => {
  const files = [
    'Why?\nHow?',
    '{"id":"sky","question":"Why?\\nAnd how?","expected":"Blue"}\n"Plain."',
    '"{ is a brace"',
  ];
  for (const file of files) {
    const questions = [...readQuestions(file)];
    expect(readQuestions(textOfQuestions(questions))).toEqual(questions);
  }
  expect(textOfQuestions([...readQuestions('Why?\n\nHow?')])).toBe('Why?\nHow?');
  expect([countQuestions(' '), countQuestions('Why?\nHow?'), countQuestions('{')]).toEqual([0, 2, null]);
});
