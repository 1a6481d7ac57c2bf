export * from './append.ts';
export * from './node.ts';
export * from './tree.ts';
