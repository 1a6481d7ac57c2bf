/**
 * The fields that generateContent accepts, as one table. Google's parser refuses every other name, at any depth, so
 * this table also lists everything that may ever be sent.
 */
export type FieldType =
  | 'string'
  | 'bool'
  | 'number'
  | 'integer'
  | 'bytes'
  /** A name or a number; the parser ignores case. */
  | 'enum'
  /** A JSON object with free content. */
  | 'struct'
  /** Anything: not inspected. */
  | 'any'
  | { readonly message: () => MessageFields }
  | { readonly list: FieldType }
  | { readonly map: FieldType };

export type MessageFields = Readonly<Record<string, FieldType>>;

const message = (fields: MessageFields): FieldType => ({ message: () => fields });
const list = (item: FieldType): FieldType => ({ list: item });

/** The subset of OpenAPI that `parameters` takes; `parametersJsonSchema` is free. */
const SCHEMA: MessageFields = {
  type: 'enum',
  format: 'string',
  title: 'string',
  description: 'string',
  nullable: 'bool',
  enum: list('string'),
  default: 'any',
  example: 'any',
  items: { message: () => SCHEMA },
  maxItems: 'integer',
  minItems: 'integer',
  properties: { map: { message: () => SCHEMA } },
  required: list('string'),
  minProperties: 'integer',
  maxProperties: 'integer',
  minimum: 'number',
  maximum: 'number',
  minLength: 'integer',
  maxLength: 'integer',
  pattern: 'string',
  anyOf: list({ message: () => SCHEMA }),
  propertyOrdering: list('string'),
};

const FUNCTION_CALL: MessageFields = { id: 'string', name: 'string', args: 'struct' };

const FUNCTION_RESPONSE: MessageFields = {
  id: 'string',
  name: 'string',
  response: 'struct',
  parts: 'any',
  scheduling: 'enum',
  willContinue: 'bool',
};

const PART: MessageFields = {
  text: 'string',
  thought: 'bool',
  thoughtSignature: 'bytes',
  functionCall: message(FUNCTION_CALL),
  functionResponse: message(FUNCTION_RESPONSE),
  inlineData: message({ mimeType: 'string', data: 'bytes', displayName: 'string' }),
  fileData: message({ mimeType: 'string', fileUri: 'string', displayName: 'string' }),
  executableCode: message({ id: 'string', language: 'enum', code: 'string' }),
  codeExecutionResult: message({ id: 'string', outcome: 'enum', output: 'string' }),
  toolCall: message({ id: 'string', toolType: 'enum', args: 'struct' }),
  toolResponse: message({ id: 'string', toolType: 'enum', response: 'struct' }),
  videoMetadata: 'any',
  mediaResolution: 'any',
  mediaProcessing: 'any',
  partMetadata: 'struct',
  speechMetadata: 'any',
};

const CONTENT: MessageFields = { role: 'string', parts: list(message(PART)) };

const FUNCTION_DECLARATION: MessageFields = {
  name: 'string',
  description: 'string',
  behavior: 'enum',
  parameters: message(SCHEMA),
  parametersJsonSchema: 'any',
  response: message(SCHEMA),
  responseJsonSchema: 'any',
};

const TOOL: MessageFields = {
  functionDeclarations: list(message(FUNCTION_DECLARATION)),
  codeExecution: 'any',
  computerUse: 'any',
  fileSearch: 'any',
  googleMaps: 'any',
  googleSearch: 'any',
  googleSearchRetrieval: 'any',
  mcpServers: 'any',
  urlContext: 'any',
};

const TOOL_CONFIG: MessageFields = {
  functionCallingConfig: message({ mode: 'enum', allowedFunctionNames: list('string') }),
  retrievalConfig: 'any',
  includeServerSideToolInvocations: 'bool',
};

const GENERATION_CONFIG: MessageFields = {
  audioTranscriptionConfig: 'any',
  candidateCount: 'integer',
  enableAffectiveDialog: 'bool',
  enableEnhancedCivicAnswers: 'bool',
  frequencyPenalty: 'number',
  imageConfig: 'any',
  logprobs: 'integer',
  maxOutputTokens: 'integer',
  mediaResolution: 'enum',
  presencePenalty: 'number',
  responseFormat: 'any',
  responseJsonSchema: 'any',
  responseLogprobs: 'bool',
  responseMimeType: 'string',
  responseModalities: list('enum'),
  responseSchema: message(SCHEMA),
  seed: 'integer',
  speechConfig: 'any',
  stopSequences: list('string'),
  temperature: 'number',
  thinkingConfig: message({ includeThoughts: 'bool', thinkingBudget: 'integer', thinkingLevel: 'enum' }),
  topK: 'number',
  topP: 'number',
  translationConfig: 'any',
};

export const GENERATE_CONTENT: MessageFields = {
  model: 'string',
  contents: list(message(CONTENT)),
  systemInstruction: message(CONTENT),
  tools: list(message(TOOL)),
  toolConfig: message(TOOL_CONFIG),
  generationConfig: message(GENERATION_CONFIG),
  safetySettings: list(message({ category: 'enum', threshold: 'enum', method: 'enum' })),
  cachedContent: 'string',
  labels: 'any',
  serviceTier: 'enum',
  store: 'bool',
  continuationToken: 'bytes',
};
