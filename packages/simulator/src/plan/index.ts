import type { Script } from '../commands/index.ts';
import { helpText, scriptOf } from '../commands/index.ts';
import type { Prompt, Reply, ReplyPart } from '../reply.ts';
import { rememberedAnswer } from './facts.ts';
import { announcement, answer, firstHalf, secondHalf, thought } from './prose.ts';
import { longMarkdown, longText, markdownText, unicodeText } from './showpieces.ts';
import type { Style } from './styles.ts';
import { styleOf } from './styles.ts';
import { sampleAnswer } from './sample.ts';
import { missingTools, planCalls } from './tool-calls.ts';

/** Plans what a simulated model says. A function of the prompt alone: the same request always gets the same reply. */
export function planReply(prompt: Prompt): Reply {
  const script = scriptOf(prompt);
  const style = styleOf(prompt.model);
  const thinking = planThinking(prompt, script, style);
  if (script.help) return { parts: [...thinking, text(helpText())], stop: 'end_turn' };
  if (script.stop === 'refusal') {
    return { parts: [...thinking, { type: 'refusal', text: 'I would rather not help with that.' }], stop: 'refusal' };
  }

  const remembered = rememberedAnswer(prompt, script);
  // Whoever asks for a summary says that no tools are to be called.
  const calls = remembered === null || script.tools !== undefined ? planCalls(prompt, script, style) : [];
  if (calls.length > 0) {
    const names = calls.map((call) => call.name);
    // A client that wants JSON parses every text that it gets.
    const words = prompt.answerSchema === undefined ? [text(announcement(prompt, names))] : [];
    return { parts: [...thinking, ...words, ...calls], stop: 'tool_use' };
  }

  const parts = planAnswer(prompt, remembered === null ? script : { say: remembered, ...script }, style, thinking);
  if (script.stop === 'max_tokens') return { parts: brokenOff(parts), stop: 'max_tokens' };
  return { parts, stop: 'end_turn' };
}

function planThinking(prompt: Prompt, script: Script, style: Style): readonly ReplyPart[] {
  if (!prompt.thinking) return [];
  // A model that does not interleave thinks once, before it calls anything.
  const again = prompt.toolResults.length > 0;
  if (again && !style.interleaved && prompt.interleaves !== true) return [];
  const blocks = script.thinkingBlocks ?? style.thinkingBlocks;
  const redacted = script.redactedBlocks ?? style.redactedBlocks;
  return [
    ...Array.from({ length: blocks }, (_, number): ReplyPart => ({
      type: 'thinking',
      text: thinkingText(prompt, script, style, number),
    })),
    ...Array.from({ length: redacted }, (_, number): ReplyPart => ({
      type: 'redacted_thinking',
      seed: `${prompt.turn}:${prompt.toolResults.length}:${number}:${prompt.userText}`,
    })),
  ];
}

function thinkingText(prompt: Prompt, script: Script, style: Style, number: number): string {
  if (script.thinkingCharacters !== undefined)
    return script.content === 'markdown'
      ? longMarkdown(script.thinkingCharacters)
      : longText(script.thinkingCharacters);
  return script.content === 'unicode' ? unicodeText() : thought(prompt, style, number);
}

function planAnswer(
  prompt: Prompt,
  script: Script,
  style: Style,
  thinking: readonly ReplyPart[],
): readonly ReplyPart[] {
  const remarks = remarksOn(prompt, script);
  switch (script.content) {
    case 'unicode':
      return [...thinking, text(unicodeText())];
    case 'markdown':
      return [
        ...thinking,
        text(script.longCharacters === undefined ? markdownText() : longMarkdown(script.longCharacters)),
      ];
    case 'unknown_block':
      return [
        ...thinking,
        { type: 'unknown_block', name: 'hologram' },
        text('Before this text stood a block of a type that no client knows. It is kept as it came.'),
      ];
    case 'empty':
      return thinking;
    case undefined:
      break;
  }
  if (script.say !== undefined) return [...thinking, text(script.say)];
  if (script.longCharacters !== undefined) return [...thinking, text(longText(script.longCharacters))];
  if (prompt.answerSchema !== undefined) return [...thinking, text(JSON.stringify(sampleAnswer(prompt)))];
  const split = style.interleaved && prompt.toolResults.length === 0 && thinking.length > 0;
  if (split) {
    return [
      ...thinking,
      text(remarks + firstHalf(prompt, style)),
      { type: 'thinking', text: thought(prompt, style, 1) },
      text(secondHalf(prompt, style)),
    ];
  }
  return [...thinking, text(remarks + answer(prompt, style))];
}

/** What was wrong with the message's commands: stated in the reply, because a typo that is ignored looks like a bug. */
function remarksOn(prompt: Prompt, script: Script): string {
  const missing = missingTools(prompt, script).map(
    (name) =>
      `There is no tool \`${name}\` in this request; it offers ${prompt.toolNames.map((offered) => `\`${offered}\``).join(', ') || 'none'}.`,
  );
  const remarks = [...script.problems, ...missing];
  return remarks.length === 0 ? '' : `${remarks.join('\n')}\n\n`;
}

/** Ends the last text in the middle of a word. */
function brokenOff(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  return parts.map((part, index) =>
    index === parts.length - 1 && part.type === 'text'
      ? text(
          Array.from(part.text)
            .slice(0, Math.ceil(part.text.length / 2))
            .join(''),
        )
      : part,
  );
}

function text(words: string): ReplyPart {
  return { type: 'text', text: words };
}
