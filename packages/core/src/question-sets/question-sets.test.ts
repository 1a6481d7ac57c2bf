import { describe, expect, it } from 'vitest';
import { InvalidQuestionsError, numberQuestions, QUESTION_SET_LIMITS, readQuestions } from './index.ts';

const wrongIn = (file: string, format?: 'jsonl' | 'text'): readonly string[] => {
  try {
    readQuestions(file, format);
    return [];
  } catch (error) {
    if (error instanceof InvalidQuestionsError) return error.lines;
    throw error;
  }
};

describe('reading questions', () => {
  it('QST-800: plain text has one question per line; blank lines, a BOM and line ends of Windows are no questions', () => {
    expect(readQuestions('\uFEFFWhy is the sky blue?\r\n\r\n  Who asks? \n')).toStrictEqual([
      { id: '1', text: 'Why is the sky blue?' },
      { id: '2', text: 'Who asks?' },
    ]);
  });

  it('QST-800: a line of JSON is a text or an object, with the names that other programs use', () => {
    const file = [
      '{"id":"a","question":"2+2?","expected":4}',
      '"Plain"',
      '{"prompt":"P\\nQ","ideal":"I"}',
      '{"input":"x"}',
    ];
    expect(readQuestions(file.join('\n'))).toStrictEqual([
      { id: 'a', text: '2+2?', expected: '4' },
      { id: '2', text: 'Plain' },
      { id: '3', text: 'P\nQ', expected: 'I' },
      { id: '4', text: 'x' },
    ]);
    expect(readQuestions('{"a"', 'text')).toStrictEqual([{ id: '1', text: '{"a"' }]);
  });

  it('QST-801: every line that cannot be used is told, with its number and what is wrong', () => {
    const lines = [
      '{"question":"fine"}',
      '{"question":',
      '',
      '7',
      '{"q":1}',
      '{"text":1}',
      '{"text":" "}',
      '{"id":[],"text":"x"}',
    ];
    expect(wrongIn(lines.join('\n'))).toStrictEqual([
      'line 2: this is not JSON; every line is a JSON value of its own',
      'line 4: expected a text or an object with a question',
      'line 5: expected one of the fields question, prompt, input, text',
      'line 6: "text" must be a text',
      'line 8: "id" must be a text or a number',
      'line 7: the question is empty',
    ]);
    expect(wrongIn('{"id":1,"text":"a"}\n{"id":"1","text":"b"}')).toStrictEqual([
      'line 2: another question has the id "1"',
    ]);
    expect(wrongIn(' \n')).toStrictEqual(['there is no question in it']);
    expect(wrongIn('a\n'.repeat(QUESTION_SET_LIMITS.questions + 1))).toHaveLength(1);
    expect(() => numberQuestions([{ text: '' }])).toThrow('question 1: the question is empty');
    expect(wrongIn('[1]\n'.repeat(30), 'jsonl')).toHaveLength(30);
    expect(() => readQuestions('[1]\n'.repeat(30), 'jsonl')).toThrow('and 20 more');
  });
});
