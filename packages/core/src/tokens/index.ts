export * from './clamp.ts';
export * from './estimate.ts';
