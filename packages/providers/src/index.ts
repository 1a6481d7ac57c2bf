export * from './deployment.ts';
export type * from './models/model.ts';
export type * from './protocol.ts';
export type * from './provider.ts';
export * from './rulebook/rule.ts';
