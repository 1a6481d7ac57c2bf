import type { Prompt, ReplyPart, Simulator } from '@bough/simulator';
import { SIMULATED_PROTOCOLS, startSimulator } from '@bough/simulator';

// The examples need short replies. The words are decided here; signing, checking and refusing are done by the simulator
// itself.

/** The simulator, which says the documents' conversation with the same ids and the same times at every start. */
export function startPlay(): Promise<Simulator> {
  let now = Date.parse('2026-11-15T12:00:00Z');
  return startSimulator({
    seed: 'documents',
    now: () => (now += 1_000),
    protocols: SIMULATED_PROTOCOLS.map((protocol) => ({
      ...protocol,
      answer: (request, world) => protocol.answer(request, { ...world, plan: (prompt) => planned(prompt) }),
    })),
  });
}

const think = (text: string): ReplyPart => ({ type: 'thinking', text });
const STORY =
  'Once upon a time there was a tree. It grew, and while it grew it forked, and every fork of it grew on by itself.';
const say = (text: string): ReplyPart => ({ type: 'text', text });

function planned(prompt: Prompt): { parts: readonly ReplyPart[]; stop: 'end_turn' | 'tool_use' } {
  const parts = partsFor(prompt).filter(({ type }) => prompt.thinking || !/thinking/.test(type));
  return { parts, stop: parts.some(({ type }) => type === 'tool_call') ? 'tool_use' : 'end_turn' };
}

function partsFor({ userText, toolResults, toolNames }: Prompt): readonly ReplyPart[] {
  if (/secret/.test(userText)) {
    return [think('This is delicate.'), { type: 'redacted_thinking', seed: userText }, say('I cannot tell.')];
  }
  if (/what time/i.test(userText) && toolNames.includes('clock')) {
    return toolResults.length === 0
      ? [think('I have no clock. The tool has one.'), { type: 'tool_call', name: 'clock', parameters: { zone: 'UTC' } }]
      : [say('It is noon.')];
  }
  if (/story/.test(userText)) return [think('A short one.'), say(STORY)];
  return [think('Six sevens are forty-two.'), say('42.')];
}
