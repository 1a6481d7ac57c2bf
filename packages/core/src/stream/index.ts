export * from './events.ts';
export * from './fold.ts';
export * from './lines.ts';
export * from './usage.ts';
