export * from './backfill.ts';
export * from './continue.ts';
export * from './groups.ts';
export * from './segments.ts';
export * from './timeline.ts';
