import type { PlacedText } from '../../files/place.ts';

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

export type FilePart =
  | { readonly type: 'text'; readonly text: string | PlacedText }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: PlacedText } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: PlacedText } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: PlacedText; readonly format: string } };

/** What a user says: a text, or parts where files are among them. */
export type UserContent = string | PlacedText | readonly FilePart[];

export interface AssistantWire {
  readonly role: 'assistant';
  readonly content?: string | null | readonly (ThinkingPart | TextPart)[];
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly Readonly<Record<string, unknown>>[];
  readonly tool_calls?: readonly WireCall[];
}

export type WireMessage =
  | { readonly role: 'system' | 'user'; readonly content: UserContent }
  | AssistantWire
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string | PlacedText };

export interface WireTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}
