export * from './admit/errors.ts';
export type * from './admit/requests.ts';
export type * from './admit/start.ts';
export * from './engine.ts';
export * from './environment.ts';
export type * from './history/index.ts';
export type * from './preview/index.ts';
export type * from './tools/tool.ts';
