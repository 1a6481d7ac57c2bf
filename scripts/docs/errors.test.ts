import { describe, expect, it } from 'vitest';
import { readEntries } from './errors/entries.ts';
import { messageSources, sentencesIn, simulatorChecks } from './errors/literals.ts';
import { RULE_IDS, ruleMessages } from './errors/rulebooks.ts';
import { readDocument } from './examples.ts';

const document = readDocument('docs/errors.md');
const entries = readEntries(document);

/** What Bough itself says in a conversation where a message is required: not a message from a provider. */
const SPOKEN = new Set([
  '(The turn ended here without an answer.)',
  'Please continue.',
  '(The beginning of this conversation is not included.)',
  'This tool call was not executed: it has no result.',
  'turns, which began with:',
]);
/** Names under which the simulator remembers and signs. */
const NAMES = /^(?:anthropic|openai-chat|gemini) [a-z]+$/;

describe('docs/errors.md', () => {
  it('has every rule of every rulebook, and every check of the simulator', () => {
    const named = new Set(entries.flatMap(({ rules }) => rules));
    expect([...RULE_IDS, ...simulatorChecks()].filter((id) => !named.has(id))).toEqual([]);
  });

  it('names no rule that does not exist', () => {
    const known = new Set([...RULE_IDS, ...simulatorChecks()]);
    expect(entries.flatMap(({ rules }) => rules).filter((id) => !known.has(id))).toEqual([]);
  });

  it('quotes each rule in the words that it really uses', () => {
    const messages = ruleMessages();
    expect(new Set(messages.map(({ rule }) => rule))).toEqual(new Set(RULE_IDS));
    const strangers = messages.filter(
      ({ rule, message }) => !entries.some(({ rules, says }) => rules.includes(rule) && says(message)),
    );
    expect(strangers).toEqual([]);
  });

  it('has every sentence that a rule or the simulator can say', () => {
    const quoted = entries.flatMap(({ messages }) => messages).join('\n');
    const missing = messageSources().flatMap((path) =>
      sentencesIn(path)
        .filter((sentence) => !SPOKEN.has(sentence) && !NAMES.test(sentence) && !quoted.includes(sentence))
        .map((sentence) => `${path}: ${sentence}`),
    );
    expect(missing).toEqual([]);
  });

  it('quotes nothing that neither a rule nor the simulator says', () => {
    const sentences = messageSources().flatMap((path) => sentencesIn(path, 8));
    const invented = entries
      .flatMap(({ messages }) => messages)
      .filter((message) => !sentences.some((sentence) => message.includes(sentence)));
    expect(invented).toEqual([]);
  });

  it('has the refusals that docs/replay.md shows', () => {
    const refusals = [...readDocument('docs/replay.md').matchAll(/HTTP \d+\n(.*)/g)].flatMap(([, text]) => text ?? []);
    expect(refusals.length).toBeGreaterThan(4);
    expect(refusals.filter((message) => !entries.some(({ says }) => says(message)))).toEqual([]);
  });

  it('says in each entry what Bough does about it, and where', () => {
    const silent = entries.filter(({ text }) => !/\*\*Bough\*\*/.test(text) || !/`packages\/[\w./-]+`/.test(text));
    expect(silent.map(({ title }) => title)).toEqual([]);
  });

  it('keeps losses apart from rejections', () => {
    const losses = new Set(
      ruleMessages()
        .filter(({ kind }) => kind === 'silent')
        .map(({ rule }) => rule),
    );
    for (const { section, rules } of entries) {
      const own = rules.filter((rule) => RULE_IDS.includes(rule));
      expect(own.every((rule) => losses.has(rule) === section.startsWith('Accepted with 200'))).toBe(true);
    }
  });
});
