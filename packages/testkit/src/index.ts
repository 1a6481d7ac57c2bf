export * from './arbitraries.ts';
export * from './sketch.ts';
export * from './tree.ts';
