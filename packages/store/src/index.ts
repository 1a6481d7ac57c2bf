export * from './errors.ts';
export type { FilesStore, FilesStoreOptions, LoomMethods, NormalizedNode } from './files/index.ts';
export { openFilesStore } from './files/index.ts';
export { openGitStore } from './git/index.ts';
export type { MoveOptions, MoveReport } from './move/index.ts';
export { MoveError, moveProject } from './move/index.ts';
export { openPostgresStore } from './postgres/index.ts';
export type * from './store.ts';
export * from './verify/index.ts';
