export * from './config/index.ts';
export { createLog } from './log.ts';
export type { Log } from './log.ts';
export { defaultWebDir, startProgram } from './program.ts';
export type { Program } from './program.ts';
export { openSettings } from './keys/index.ts';
export { openStore } from './open-store.ts';
export { createProviderSet } from './providers/index.ts';
