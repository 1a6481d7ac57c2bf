export * from './assemble.ts';
export type * from './assembly.ts';
export type * from './items.ts';
export * from './mask/index.ts';
export type { Thought } from './prefix/index.ts';
export { keptThoughts, startOfPrefix } from './prefix/index.ts';
export { toolChangesOf, toolsAtStart } from './tool-changes/index.ts';
export { toolUseAsText } from './rules/tools-as-text/index.ts';
export { tokenBudget } from './rules/trim-to-window/index.ts';
