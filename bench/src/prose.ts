import { planReply } from '@bough/simulator';

/** Words of the simulator, as many as requested. */
export function prose(characters: number): string {
  const { parts } = planReply({
    model: 'sim-plain',
    system: '',
    userText: `/sim long ${characters}`,
    toolResults: [],
    toolNames: [],
    toolsAllowed: false,
    thinking: false,
    turn: 0,
  });
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
