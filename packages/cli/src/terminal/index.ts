export { colours } from './colour.ts';
export { startProgress } from './progress.ts';
export { table } from './table.ts';
export * from './terminal.ts';
