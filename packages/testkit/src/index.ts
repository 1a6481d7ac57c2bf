export * from './arbitraries.ts';
export * from './sketch.ts';
