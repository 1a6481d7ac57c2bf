/** For pages: the client and the stream session without the schemas, which only the server needs at run time. */
export * from './client/index.ts';
export * from './connect/index.ts';
export * from './curl/index.ts';
export * from './session/index.ts';
export type * from './types.ts';
