export * from './block.ts';
export * from './range.ts';
export * from './text.ts';
