export * from './deployment.ts';
export * from './models/cost.ts';
export * from './models/lookup.ts';
export type * from './models/model.ts';
export { thinkingBudget, thinkingLevel } from './models/thinking.ts';
export type * from './protocol.ts';
export type * from './provider.ts';
export * from './rulebook/rule.ts';
