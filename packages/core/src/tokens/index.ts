export * from './clamp.ts';
export * from './estimate.ts';
export * from './files.ts';
