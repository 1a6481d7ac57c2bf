export { connectionError, streamError, timeoutError } from './connection.ts';
export { codeOfStatus, CUT_SHORT, NOT_JSON, providerError } from './provider-error.ts';
export type { Redact } from './redact.ts';
export { createRedactor, isSecretHeader, redactHeaders } from './redact.ts';
