import type { ErrorDialect } from '../refusal.ts';
import { openaiEnvelope } from '../openai-responses/errors.ts';

export const chatErrors: ErrorDialect = {
  body: (refusal) => JSON.stringify(openaiEnvelope(refusal)),
  event: (refusal) => `data: ${JSON.stringify(openaiEnvelope(refusal))}\n\n`,
};
