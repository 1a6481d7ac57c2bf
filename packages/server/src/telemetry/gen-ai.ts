/**
 * Names of OpenTelemetry's GenAI conventions, as they were in November 2026 (semantic-conventions-genai, still marked
 * as development). Traces and metrics use the same ones: a collector joins them by these.
 */

/** What the conventions call providers that Bough calls by another name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  openai_responses: 'openai',
  xai: 'x_ai',
};

export function providerName(provider: string): string {
  return PROVIDERS[provider] ?? provider;
}

/** What a reply is asked for with; Google's own API has a name of its own for it. */
export function operationName(provider: string): string {
  return provider === 'gemini' ? 'generate_content' : 'chat';
}
