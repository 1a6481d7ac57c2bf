import { describe, expect, it } from 'vitest';
import { requireAnnotation } from '../annotations/index.ts';
import { nodeId, projectId } from '../entities/index.ts';
import { parseSearch } from '../search/index.ts';
import type { Words } from './index.ts';
import {
  findWords,
  QUESTION_LIMITS,
  questionMessage,
  questionText,
  readQuestion,
  readQuestionMessage,
} from './index.ts';

const words = (quote: string, given: Partial<Words> = {}): Words => ({
  quote,
  before: '',
  after: '',
  offset: null,
  ...given,
});
const asked = { ...words('tall oaks'), question: 'How tall?', messageId: nodeId('m') };

describe('questions', () => {
  it('AN-760: words are found again by what is around them, and spaces do not count', () => {
    const text = 'An oak is tall. An elm is tall.\n\nAn ash is tall.';
    const found = (one: Words) => {
      const place = findWords(text, one);
      return place === null ? null : [place.start, text.slice(place.start, place.end)];
    };
    expect(found(words('is tall'))).toEqual([7, 'is tall']);
    expect(found(words('is tall', { before: 'An elm ', after: '. An' }))).toEqual([23, 'is tall']);
    expect(found(words('is tall', { offset: 40 }))).toEqual([40, 'is tall']);
    expect(found(words('is tall', { before: 'ash', offset: 0 }))).toEqual([40, 'is tall']);
    expect(found(words('tall.An\nash'))).toEqual([26, 'tall.\n\nAn ash']);
    expect(found(words('short'))).toBeNull();
    expect(found(words(' \n'))).toBeNull();
  });

  it('AN-761: a question is a message that ResearchTree reads as one, and both of its ways to write one are read', () => {
    const quote = 'code:\n```\nlet x\n```\n';
    const message = questionMessage(quote, ' Why?\n\nReally: ');
    expect(message).toBe(
      'Highlighted passage:\n\n```text\ncode:\n\\`\\`\\`\nlet x\n\\`\\`\\`\n```\n\nQuestion:\n\nWhy?\n\nReally:',
    );
    expect(readQuestionMessage(message)).toEqual({ quote: quote.trim(), question: 'Why?\n\nReally:' });
    const fromPage = 'Highlighted passage:\n"""tall "oaks" """\n\nQuestion:\nHow tall?';
    expect(readQuestionMessage(fromPage)).toEqual({ quote: 'tall "oaks" ', question: 'How tall?' });
    for (const other of ['', 'Question:\nx', 'Highlighted passage: x', `${message} `.replace('Question:', 'Q')])
      expect(readQuestionMessage(other)).toBeNull();
    expect(readQuestionMessage(`Highlighted passage:${'\n'.repeat(200_000)}x`)).toBeNull();
  });

  it.each([
    ['no branch', { name: ' ' }, 'names its branch'],
    ['text that is no question', { text: 'Why?' }, 'lacks a field'],
    ['no words', { text: questionText({ ...asked, question: ' ' }) }, 'has words'],
    ['nothing asked about', { text: questionText({ ...asked, quote: '\n' }) }, 'Name the words'],
    ['too much', { text: questionText({ ...asked, quote: 'x'.repeat(QUESTION_LIMITS.quote + 1) }) }, 'At most 5000'],
  ])('AN-762: a question with %s is refused', (_, change, told) => {
    const kept = { projectId: projectId('p'), nodeId: nodeId('n'), kind: 'question', changedAt: '2026-01-01' } as const;
    expect(() => requireAnnotation({ ...kept, name: 'b', text: questionText(asked), ...change })).toThrow(told);
  });

  it('AN-762: what is kept is read as it was written, whatever the words are', () => {
    const odd = { ...asked, quote: '\u0000"\\\n橡木'.repeat(500), offset: 12 };
    expect(readQuestion(questionText(odd))).toEqual(odd);
    const kept = { projectId: projectId('p'), nodeId: nodeId('n'), kind: 'question', changedAt: '2026-01-01' } as const;
    expect(() => requireAnnotation({ ...kept, name: 'b', text: questionText(odd) })).not.toThrow();
    for (const bad of ['{', '[]', '{}', questionText(asked).replace('null', '-1')])
      expect(readQuestion(bad)).toBeNull();
  });

  it('SR-760: a search asks for messages that something was asked about', () => {
    expect(parseSearch('has:question').filters.beside).toEqual(['question']);
    expect(parseSearch('is:asked').filters.beside).toEqual(['question']);
  });
});
