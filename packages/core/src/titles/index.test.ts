import { describe, expect, it } from 'vitest';
import { questionIn, readTitle, titleFrom, titleMessage, UNTITLED } from './index.ts';

describe('titles', () => {
  it.each([
    ['What is love?\nBaby', 'What is love?'],
    ['\n## **Plan** for `today`', 'Plan for today'],
    ['', UNTITLED],
    ['\n \n', UNTITLED],
    ['word '.repeat(40), `${'word '.repeat(11)}word…`],
    ['字'.repeat(80), `${'字'.repeat(60)}…`],
    ['> - [x] read [the docs](https://example.com/a_b)', 'read the docs'],
    ['```ts\nconst a = 1;\n```', 'const a = 1;'],
    ['---\n1. *First* things', 'First things'],
  ])('TI-1: %j is called %j', (text, title) => {
    expect(titleFrom(text)).toBe(title);
  });

  it.each([
    ['Rename snake_case_names in a*b*c', 'Rename snake_case_names in a*b*c'],
    ['#hashtag and C#', '#hashtag and C#'],
    ['👨‍👩‍👧‍👦'.repeat(70), `${'👨‍👩‍👧‍👦'.repeat(60)}…`],
    [`${'a'.repeat(59)}🇨🇭🇨🇭`, `${'a'.repeat(59)}🇨🇭…`],
    ['half \ud83d', 'half \ufffd'],
  ])('EN-120: nothing that people see as one character is cut, and marks inside words stay: %j', (text, title) => {
    expect(titleFrom(text)).toBe(title);
  });

  it.each([
    ['"Blue skies"', 'Blue skies'],
    ['Title: Why skies are blue.', 'Why skies are blue'],
    ['\n**《蓝天》**\n\nBecause …', '蓝天'],
    ['And then…', 'And then…'],
    ['', null],
    ['“”', null],
  ])('EN-121: the title in %j is %j', (answer, title) => {
    expect(readTitle(answer)).toBe(title);
  });

  it('EN-121: what is quoted for a title is read back as it was asked', () => {
    const question = 'Why?\n\n> because\nThe answer begins:';
    expect(questionIn(titleMessage(question, 'An answer'))).toBe(question);
  });
});
