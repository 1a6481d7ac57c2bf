import { withoutCommands } from '../commands/index.ts';
import type { Prompt } from '../reply.ts';
import { pick } from './pick.ts';
import type { Style } from './styles.ts';

// The voice of the simulated models: short, friendly, and always honest about being simulated.

const MAX_QUOTE = 160;

/** The newest message in a form that fits into a sentence: one line, not too long, cut between characters. */
function quoteOf(prompt: Prompt): string {
  const line = withoutCommands(prompt.userText).replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= MAX_QUOTE ? line : `${characters.slice(0, MAX_QUOTE).join('')}…`;
}

/** One block of thinking. `number` counts from zero within the turn. */
export function thought(prompt: Prompt, style: Style, number: number): string {
  const quote = quoteOf(prompt);
  const last = prompt.toolResults.at(-1);
  if (last !== undefined && number === 0) {
    if (last.isError === true)
      return `${last.name} has failed: ${brief(last.content)}. I can say so, or try something else.`;
    return `The result of ${last.name} is here: ${brief(last.content)}. ${pick(
      [
        'That is what I expected, so I can build on it.',
        'I should check whether it answers the question before I go on.',
        'Good. One piece fewer to worry about.',
      ],
      quote + prompt.toolResults.length,
    )}`;
  }
  if (number === 0) {
    return [
      quote === '' ? 'There is no question here, only instructions for me.' : `The message says: “${quote}”.`,
      prompt.variation ? 'I have answered this before, so I should put it differently.' : '',
      pick(
        [
          'Before I answer I want to be sure what is being asked.',
          'Let me take it apart first, then put an answer together.',
          'I will start with what I know for certain.',
        ],
        seedOf(prompt),
      ),
      prompt.turn > 0
        ? `We have spoken before: there are ${prompt.turn} earlier replies of mine, and I should not contradict them.`
        : 'This is the beginning of the conversation, so there is nothing to contradict yet.',
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
  }
  return pick(
    [
      `A second look. As ${style.name} I am here to show how reasoning is kept, so the answer should point that out.`,
      'Is there a simpler way to put it? Probably: say what happened, then say where to look.',
      'I am confident enough now. Short sentences, one example, then stop.',
    ],
    `${seedOf(prompt)}${number}`,
  );
}

/** What is said before tools are called. */
export function announcement(prompt: Prompt, names: readonly string[]): string {
  const list = [...new Set(names)].map((name) => `\`${name}\``).join(', ');
  return prompt.toolResults.length === 0
    ? `Let me look that up with ${list}.`
    : `One more thing to find out, with ${list}.`;
}

export function answer(prompt: Prompt, style: Style): string {
  return [opening(prompt, style), findings(prompt), style.lesson, closing(prompt)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A part of the answer that comes between two blocks of thinking. */
export function firstHalf(prompt: Prompt, style: Style): string {
  return `${opening(prompt, style)}\n\n`;
}

export function secondHalf(prompt: Prompt, style: Style): string {
  return [style.lesson, closing(prompt)].join('\n\n');
}

function opening(prompt: Prompt, style: Style): string {
  const quote = quoteOf(prompt);
  const self = `I am **${style.name}**, a simulated model, so nothing of this left your machine.`;
  if (prompt.variation && quote !== '') {
    return `Answer number ${prompt.variation + 1} to “${quote}”, so that you can compare them side by side. ${self}`;
  }
  if (quote === '') return self;
  if (prompt.turn === 0) {
    return `${pick(['Good question.', 'Happy to.', 'Let us see.', 'Here we go.'], quote)} ${self}\n\nYou wrote: “${quote}”`;
  }
  return pick(
    [
      `Going on from what we had: “${quote}”`,
      `Now to “${quote}”.`,
      `Reply number ${prompt.turn + 1} on this path, to “${quote}”.`,
    ],
    seedOf(prompt),
  );
}

function findings(prompt: Prompt): string {
  if (prompt.toolResults.length === 0) return '';
  const rows = prompt.toolResults
    .map(({ name, content, isError }) => `- \`${name}\`${isError === true ? ' failed' : ''}: ${brief(content)}`)
    .join('\n');
  return `This is what the tools told me:\n\n${rows}`;
}

function closing(prompt: Prompt): string {
  return pick(
    [
      'Edit your message or ask for another answer to grow a branch here, or write `/sim help` to see what else I can show.',
      'Try another model on this branch and look at the preview of what would survive, or write `/sim help`.',
      'Write `/sim help` for everything that I can be made to do, including to fail.',
    ],
    seedOf(prompt),
  );
}

/** Chooses between phrases: the same prompt always gets the same words. */
function seedOf({ userText, turn, variation = 0 }: Prompt): string {
  return `${userText} ${turn} ${variation}`;
}

function brief(content: string): string {
  const line = content.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= 120 ? line : `${characters.slice(0, 120).join('')}…`;
}
