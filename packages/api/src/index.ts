export * from './client/index.ts';
export * from './connect/index.ts';
export * from './curl/index.ts';
export * as routes from './routes.ts';
export * as schemas from './schemas/index.ts';
export * from './session/index.ts';
export type * from './types.ts';
export { ABOUT, completeDocument } from './openapi/index.ts';
