import type {
  Choice,
  FilesOtherwise,
  MergeBlock,
  MergeChoice,
  ProviderTool,
  ReplayBy,
  ThinkingSetting,
  ToolDefinition,
} from '@bough/core';

// What a person can do to a conversation, as plain data. Every number is taken modulo what there is to choose from, so
// that any action fits any history and a failing history can be shrunk by leaving actions out.

/** How a call ends. The number counts events. */
export type Ending =
  | { readonly type: 'whole' }
  /** The user stops it. */
  | { readonly type: 'abort'; readonly after: number }
  | { readonly type: 'cut'; readonly after: number }
  | { readonly type: 'error'; readonly after: number }
  | { readonly type: 'refused'; readonly status: 400 | 500 };

/** What becomes of the calls of a reply. `lost`: the program died before the last result was stored. */
export type ToolOutcome = 'works' | 'fails' | 'lost';

export interface TurnPlan {
  readonly ending: Ending;
  /** The call of the turn that ends this way; earlier ones end normally. */
  readonly endingAt: number;
  readonly tools: ToolOutcome;
  /** Which files the results bring; none if absent. */
  readonly toolFiles?: number;
  /** Whether the results hold versions of the canvas. */
  readonly toolCanvas?: boolean;
}

/** What changes about a branch; anything absent stays as it was. */
export interface EnvelopeChange {
  readonly target?: number;
  readonly system?: number;
  readonly tools?: number;
  readonly providerTools?: number;
  readonly thinking?: number;
  readonly replayBy?: ReplayBy;
  readonly keepTools?: boolean;
  readonly filesOtherwise?: FilesOtherwise;
}

export type Action =
  | {
      readonly type: 'say';
      readonly branch: number;
      readonly text: number;
      /** Which files come with it; none if absent. */
      readonly files?: number;
      readonly turn: TurnPlan;
    }
  /**
   * Another answer to an earlier message, or another continuation of an earlier tool result, on a branch of its own.
   */
  | {
      readonly type: 'regenerate';
      readonly branch: number;
      readonly node: number;
      readonly change: EnvelopeChange;
      readonly turn: TurnPlan;
    }
  /** An earlier message said differently, on a branch of its own. */
  | {
      readonly type: 'edit';
      readonly branch: number;
      readonly node: number;
      readonly text: number;
      readonly change: EnvelopeChange;
      readonly turn: TurnPlan;
    }
  /** A branch from any node, even from the middle of a turn. */
  | { readonly type: 'fork'; readonly branch: number; readonly node: number; readonly change: EnvelopeChange }
  | { readonly type: 'change'; readonly branch: number; readonly change: EnvelopeChange }
  /** Leaves a message out of the requests of a branch, pins it into them, or takes that back. */
  | { readonly type: 'choose'; readonly branch: number; readonly node: number; readonly choice: Choice | null }
  /** A summary in place of everything up to a message, and that taken back. */
  | { readonly type: 'compact'; readonly branch: number; readonly node: number }
  | { readonly type: 'uncompact'; readonly branch: number }
  | { readonly type: 'include_thinking'; readonly branch: number; readonly node: number }
  | { readonly type: 'forget_raw'; readonly branch: number; readonly node: number }
  | { readonly type: 'remove'; readonly branch: number; readonly node: number }
  /** A message with its whole reply. */
  | { readonly type: 'remove_turn'; readonly branch: number; readonly node: number }
  /** Instructions from here on. */
  | { readonly type: 'instruct'; readonly branch: number; readonly text: number }
  /** A person's version of the canvas, which models are told about or not. */
  | { readonly type: 'canvas'; readonly branch: number; readonly text: number; readonly inContext: boolean }
  /** The version of another branch merged into this one's; `choice` counts where both changed the same lines. */
  | {
      readonly type: 'merge_canvas';
      readonly branch: number;
      readonly from: number;
      readonly choice: MergeChoice;
    }
  /** What is new on another branch, brought to the end of this one. */
  | {
      readonly type: 'merge';
      readonly branch: number;
      readonly from: number;
      readonly by: MergeBlock['by'];
      readonly messages: number;
    }
  /** A question about words of a reply, on a branch that no list shows. It can be talked on and merged like any. */
  | {
      readonly type: 'ask';
      readonly branch: number;
      readonly node: number;
      readonly text: number;
      readonly change: EnvelopeChange;
      readonly turn: TurnPlan;
    }
  /** Other tools from here on. */
  | { readonly type: 'retool'; readonly branch: number; readonly tools: number }
  /** Messages from elsewhere, without raw. */
  | { readonly type: 'import'; readonly branch: number; readonly of: number };

export const TEXTS = [
  'What is a tree?',
  'What is 12 * 7 + 1?',
  'And what time is it?',
  'שלום 👩‍👩‍👧 e\u0301 漢字 \ud800 "quoted" \\ back',
  '/sim think 3',
  '/sim redacted 2',
  '/sim unicode',
  '/sim tools calculator x2 steps 2',
  '/sim tools x3',
  '/sim tools steps 3',
  '/sim say ok',
  '/sim empty',
  '/sim unknown',
  '/sim refuse',
  '/sim max_tokens',
  '/sim long 2500',
  '/sim pause',
  '/sim pause 3',
  '/sim expire',
  '/sim search elm trees /sim say ok',
  '/sim fetch https://example.com/elm.pdf?pages=45 /sim say ok',
] as const;

export const INSTRUCTIONS = ['From now on, answer in verse.', 'Be brief. 🌲'] as const;

export const SYSTEM_PROMPTS = [null, 'You are terse.', 'You are a poet. 🌳'] as const;

const calculator: ToolDefinition = {
  name: 'calculator',
  description: 'Computes an expression.',
  inputSchema: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'What to compute.' } },
    required: ['expression'],
    additionalProperties: false,
  },
};

const clock: ToolDefinition = {
  name: 'current_time',
  description: 'Tells the time.',
  inputSchema: { type: 'object', properties: { timezone: { type: 'string' } }, additionalProperties: false },
};

const search: ToolDefinition = {
  name: 'search_notes',
  description: 'Finds notes.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer', minimum: 1 },
      order: { type: 'string', enum: ['newest', 'oldest'] },
    },
    required: ['query', 'order'],
  },
};

export const TOOL_LISTS: readonly (readonly ToolDefinition[])[] = [
  [],
  [calculator],
  [calculator, clock],
  [clock, search, calculator],
];

/** What the providers run themselves. A model that lacks some of it gets the rest. */
export const PROVIDER_TOOL_LISTS: readonly (readonly ProviderTool[])[] = [
  [],
  [{ tool: 'web_search' }],
  [{ tool: 'code_execution' }],
  [
    { tool: 'web_search' },
    { tool: 'web_fetch' },
    { tool: 'code_execution' },
    { tool: 'file_search', settings: { vectorStores: ['vs_1'] } },
    { tool: 'image_generation' },
    { tool: 'remote_mcp', settings: { serverUrl: 'https://mcp.example.com', serverLabel: 'wiki' } },
  ],
];

export const THINKING_SETTINGS: readonly ThinkingSetting[] = ['medium', 'off', 'low', 'high', { budgetTokens: 2_000 }];

export function choose<T>(choices: readonly T[], number: number): T {
  const chosen = choices[number % choices.length];
  if (chosen === undefined) throw new RangeError('There is nothing to choose from.');
  return chosen;
}
