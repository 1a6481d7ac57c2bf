import type { DeploymentInput, DeploymentView } from '@bough/api/client';
import type { NamedValue } from './named-values.ts';
import { namedValues, valuesByName } from './named-values.ts';

export type Protocol = NonNullable<DeploymentInput['protocol']>;

/** A deployment as its form shows it. */
export interface DeploymentForm {
  readonly id: string;
  readonly label: string;
  readonly protocol: Protocol;
  readonly baseUrl: string;
  /** One model on each line: its name, or an object as in the configuration file. */
  readonly models: string;
  readonly defaultModel: string;
  readonly headers: readonly NamedValue[];
  readonly quirks: string;
}

/** What a deployment may start from: fields that are the same for everybody who has one of these. */
export const STARTS = [
  { id: 'compatible', label: 'OpenAI-compatible', protocol: 'openai-chat', baseUrl: 'https://' },
  { id: 'vllm', label: 'vLLM', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:8000/v1' },
  { id: 'llama', label: 'llama.cpp', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:8080/v1' },
  { id: 'lmstudio', label: 'LM Studio', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:1234/v1' },
  { id: 'ollama', label: 'Ollama', protocol: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' },
  {
    id: 'azure',
    label: 'Azure OpenAI',
    protocol: 'openai-responses',
    baseUrl: 'https://NAME.openai.azure.com/openai/v1',
  },
  { id: 'anthropic', label: 'Anthropic-compatible', protocol: 'anthropic-messages', baseUrl: 'https://' },
  { id: 'gemini', label: 'Gemini-compatible', protocol: 'gemini', baseUrl: 'https://' },
] as const satisfies readonly {
  readonly id: string;
  readonly label: string;
  readonly protocol: Protocol;
  readonly baseUrl: string;
}[];

export function emptyDeployment(): DeploymentForm {
  const { protocol, baseUrl } = STARTS[0];
  return { id: '', label: '', protocol, baseUrl, models: '', defaultModel: '', headers: [], quirks: '' };
}

const PROTOCOLS: readonly Protocol[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

export function deploymentForm({ id, entry }: Pick<DeploymentView, 'id' | 'entry'>): DeploymentForm {
  const { models, quirks } = entry;
  return {
    id,
    label: text(entry['label']),
    protocol: PROTOCOLS.find((protocol) => protocol === entry['protocol']) ?? 'openai-chat',
    baseUrl: text(entry['baseUrl']),
    models: (Array.isArray(models) ? models : [])
      .map((model: unknown) => (typeof model === 'string' ? model : JSON.stringify(model)))
      .join('\n'),
    defaultModel: text(entry['defaultModel']),
    headers: namedValues(entry['headers']),
    quirks: quirks === undefined ? '' : JSON.stringify(quirks, null, 2),
  };
}

/** A field that cannot be read, and why: as the server reports it. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** The entry as the configuration file would have it. `notJson` is the sentence for what is not JSON. */
export function deploymentEntry(form: DeploymentForm, notJson: string): DeploymentInput {
  const headers = valuesByName(form.headers);
  return {
    ...(form.label.trim() === '' ? {} : { label: form.label.trim() }),
    protocol: form.protocol,
    baseUrl: form.baseUrl.trim(),
    models: form.models
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => (line.startsWith('{') ? object(line, 'models', notJson) : line)),
    ...(form.defaultModel.trim() === '' ? {} : { defaultModel: form.defaultModel.trim() }),
    ...(headers === null ? {} : { headers }),
    ...(form.quirks.trim() === '' ? {} : { quirks: object(form.quirks, 'quirks', notJson) }),
  };
}

function object(json: string, field: string, notJson: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FieldError(field, notJson);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
