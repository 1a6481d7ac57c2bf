export * from './config/index.ts';
export { createLog } from './log.ts';
export type { Log } from './log.ts';
export { startProgram } from './program.ts';
export type { Program } from './program.ts';
