export * from './append.ts';
export * from './node.ts';
