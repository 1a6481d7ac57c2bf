export * from './errors.ts';
export { openFilesStore } from './files/index.ts';
export { openGitStore } from './git/index.ts';
export { openPostgresStore } from './postgres/index.ts';
export type * from './store.ts';
