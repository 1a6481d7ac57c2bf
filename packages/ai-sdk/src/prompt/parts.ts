import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';

export type AssistantPrompt = Extract<LanguageModelV3Message, { role: 'assistant' }>;
export type AssistantPart = AssistantPrompt['content'][number];
export type ToolPrompt = Extract<LanguageModelV3Message, { role: 'tool' }>;
export type ToolPart = ToolPrompt['content'][number];
export type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart;

/** A message on its way to the model, with the positions of those it was made from. */
export interface Outgoing {
  readonly message: LanguageModelV3Message;
  readonly from: readonly number[];
}

/** A call that the application answers; calls to the provider's own tools are parts of its reply. */
export const isCall = (part: AssistantPart): part is LanguageModelV3ToolCallPart =>
  part.type === 'tool-call' && part.providerExecuted !== true;

/** A file that a model made while it was thinking, which only version 7 of the AI SDK has. */
export const isThoughtFile = ({ type }: { readonly type: string }): boolean => type === 'reasoning-file';

export const isResult = (part: ToolPart): part is LanguageModelV3ToolResultPart => part.type === 'tool-result';

export const isBlank = (part: { readonly type: string; readonly text?: string }): boolean =>
  part.type === 'text' && (part.text ?? '').trim() === '';

/** What a tool answered, in words. */
export function outputText(output: LanguageModelV3ToolResultOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'The tool was not allowed to run.';
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  }
}
