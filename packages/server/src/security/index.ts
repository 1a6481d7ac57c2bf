export { securityHeaders } from './headers.ts';
export { requireBytes, requireJson } from './media-type.ts';
export { checkOrigin, originProblem } from './origin.ts';
export { createRateLimit, limitRate } from './rate.ts';
export type { RateLimit } from './rate.ts';
export { createSessions, isSame } from './session.ts';
export type { Sessions } from './session.ts';
export type { Access } from './token.ts';
export { addressOf, checkToken, takeToken } from './token.ts';
