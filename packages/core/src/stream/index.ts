export * from './events.ts';
export * from './usage.ts';
