/** The wire shapes that Bough sends. What arrives is never assumed to have them: see `response/json.ts`. */

export interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: Readonly<Record<string, unknown>>;
}

export type ThinkingPart = {
  readonly type: 'thinking';
  readonly thinking: readonly { readonly type: 'text'; readonly text: string }[];
  readonly signature?: string;
};
export type TextPart = { readonly type: 'text'; readonly text: string };

export interface AssistantWire {
  readonly role: 'assistant';
  readonly content?: string | null | readonly (ThinkingPart | TextPart)[];
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly Readonly<Record<string, unknown>>[];
  readonly tool_calls?: readonly WireCall[];
}

export type WireMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | AssistantWire
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface WireTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}
