import type { Finding } from '../../rulebook/rule.ts';

/**
 * The request as Gemini's JSON parser sees it, after `readRequest`: names in camel case, single values wrapped where a
 * list is allowed, fields of a wrong type left out (and reported). Unknown fields stay, so that nothing changes
 * silently.
 */
export interface WireRequest {
  readonly contents: readonly WireContent[];
  readonly systemInstruction?: WireContent;
  readonly tools?: readonly WireTool[];
  readonly toolConfig?: WireToolConfig;
  readonly generationConfig?: WireGenerationConfig;
  readonly [field: string]: unknown;
}

export interface WireContent {
  readonly role?: string;
  readonly parts: readonly WirePart[];
  readonly [field: string]: unknown;
}

export interface WirePart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: WireCall;
  readonly functionResponse?: WireResponse;
  readonly [field: string]: unknown;
}

export interface WireCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface WireResponse {
  readonly id?: string;
  readonly name?: string;
  readonly response?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface WireTool {
  readonly functionDeclarations?: readonly WireDeclaration[];
  readonly [field: string]: unknown;
}

export interface WireDeclaration {
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly parametersJsonSchema?: unknown;
  readonly [field: string]: unknown;
}

export interface WireToolConfig {
  readonly functionCallingConfig?: { readonly mode?: string; readonly [field: string]: unknown };
  readonly includeServerSideToolInvocations?: boolean;
  readonly [field: string]: unknown;
}

export interface WireGenerationConfig {
  readonly maxOutputTokens?: number;
  readonly thinkingConfig?: WireThinkingConfig;
  readonly [field: string]: unknown;
}

export interface WireThinkingConfig {
  readonly includeThoughts?: boolean;
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
  readonly [field: string]: unknown;
}

/** A request and what the parser reported about its shape. The rules look at both. */
export interface ParsedRequest {
  readonly request: WireRequest;
  readonly problems: readonly ShapeProblem[];
}

export interface ShapeProblem extends Finding {
  readonly kind: 'unknown_field' | 'wrong_type' | 'bad_base64' | 'two_payloads';
}

/** The fields of which a part carries exactly one. */
export const PAYLOAD_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

/** A call of a tool that Google runs, or its result. */
export const isServerToolPart = (part: Readonly<Record<string, unknown>>): boolean =>
  part['toolCall'] !== undefined || part['toolResponse'] !== undefined;

/** What a part carries, or undefined for a part without payload. */
export function payloadOf(part: Readonly<Record<string, unknown>>): (typeof PAYLOAD_FIELDS)[number] | undefined {
  return PAYLOAD_FIELDS.find((field) => part[field] !== undefined && part[field] !== null);
}
