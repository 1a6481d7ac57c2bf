/** What a simulated model is there to show. */
export interface Style {
  /** What it calls itself. */
  readonly name: string;
  readonly thinkingBlocks: number;
  readonly redactedBlocks: number;
  /** Thinks again between tool results, and between two pieces of text. */
  readonly interleaved: boolean;
  /** How many rounds of tool calls it makes whenever tools are offered. */
  readonly toolSteps: number;
  readonly toolsPerStep: number;
  /** What the reader should look at. */
  readonly lesson: string;
}

const PLAIN: Style = {
  name: 'Plain',
  thinkingBlocks: 0,
  redactedBlocks: 0,
  interleaved: false,
  toolSteps: 0,
  toolsPerStep: 1,
  lesson: 'There is no reasoning in this reply at all, so there is nothing to fold away and nothing to send back.',
};

const THINKER: Style = {
  ...PLAIN,
  name: 'Thinker',
  thinkingBlocks: 2,
  lesson:
    'My reasoning came first, as two blocks of its own. Each is signed, and on your next message both go back to me byte for byte.',
};

const STYLES: Readonly<Record<string, Style>> = {
  'sim-plain': PLAIN,
  'sim-thinker': THINKER,
  'sim-summary': {
    ...THINKER,
    name: 'Summariser',
    thinkingBlocks: 1,
    lesson: 'What you can read of my reasoning is a summary. The whole of it travels along, encrypted.',
  },
  'sim-hidden': {
    ...THINKER,
    name: 'Silent thinker',
    thinkingBlocks: 1,
    lesson:
      'I thought, but the text of it was withheld: only a signature arrived. It still has to go back, or I would forget why I said this.',
  },
  'sim-redacted': {
    ...THINKER,
    name: 'Redactor',
    thinkingBlocks: 1,
    redactedBlocks: 1,
    lesson: 'Part of my reasoning is encrypted. Nobody here can read it, and it is kept and returned all the same.',
  },
  'sim-interleaved': {
    ...THINKER,
    name: 'Interleaver',
    thinkingBlocks: 1,
    interleaved: true,
    toolSteps: 2,
    lesson: 'I think, act, look at the result and think again. The order that you see is the order in which it came.',
  },
  'sim-parallel': {
    ...THINKER,
    name: 'Juggler',
    thinkingBlocks: 1,
    toolSteps: 1,
    toolsPerStep: 3,
    lesson: 'When there are tools I call several at once, and every call needs its result before I can go on.',
  },
  'sim-bound': {
    ...THINKER,
    name: 'Keeper',
    thinkingBlocks: 1,
    lesson:
      'My reasoning is bound to everything that stood before it. Change the system prompt, the tools or an earlier message, and it has to stay behind.',
  },
};

/**
 * The style of a simulated model. Any other model name (from a client that asks for a real one) thinks when asked to.
 */
export function styleOf(model: string): Style {
  return Object.hasOwn(STYLES, model) ? (STYLES[model] ?? THINKER) : { ...THINKER, name: model };
}

export const STYLED_MODELS: readonly string[] = Object.keys(STYLES);
