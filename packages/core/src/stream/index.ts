export * from './events.ts';
export * from './fold.ts';
export * from './growing-text.ts';
export * from './joined-run.ts';
export * from './lines.ts';
export * from './usage.ts';
