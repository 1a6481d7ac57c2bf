/** What the simulated model says, before a protocol half puts it into its provider's shape. */
export type ReplyPart =
  /** A protocol signs it; if the model's display is omitted, the text is not sent. */
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'redacted_thinking'; readonly seed: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_call'; readonly name: string; readonly parameters: Readonly<Record<string, unknown>> }
  | { readonly type: 'refusal'; readonly text: string }
  /** A block that no client knows yet, where the protocol has a place for one. */
  | { readonly type: 'unknown_block'; readonly name: string };

export interface Reply {
  readonly parts: readonly ReplyPart[];
  readonly stop: 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';
}

export interface ToolResult {
  readonly name: string;
  readonly content: string;
  /** The request marks it as a failure. Absent if the protocol cannot say so. */
  readonly isError?: boolean;
}

/** What a reply is planned from; the protocol half reads it from its own request. */
export interface Prompt {
  readonly model: string;
  readonly system: string;
  /** The text of the newest user message. */
  readonly userText: string;
  /** The results of the tool calls since that message, in order. */
  readonly toolResults: readonly ToolResult[];
  readonly toolNames: readonly string[];
  /** The tools as they were offered, if the half reads them: a call to a tool with a schema then fits that schema. */
  readonly tools?: readonly { readonly name: string; readonly inputSchema: Readonly<Record<string, unknown>> }[];
  readonly toolsAllowed: boolean;
  /** The request forces a call of one of these tools. */
  readonly forcedTools?: readonly string[];
  /** False if the request allows only one call at a time. */
  readonly parallelCalls?: boolean;
  /** The answer must be JSON of this schema; an empty schema allows any object. */
  readonly answerSchema?: Readonly<Record<string, unknown>>;
  readonly thinking: boolean;
  /** The request asks for thinking between tools, whatever the model does by itself. */
  readonly interleaves?: boolean;
  /** How many assistant messages the request holds: a later turn says something else. */
  readonly turn: number;
  /** The body of the request, as it came: all that the model can know. Filled in by the frame. */
  readonly sent?: string;
  /** How often this same prompt was answered before: asking again gets another answer. Filled in by the frame. */
  readonly variation?: number;
}
