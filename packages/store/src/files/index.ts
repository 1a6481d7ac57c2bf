export type { LoomMethods, NormalizedNode } from './loom.ts';
export type { FilesStore, FilesStoreOptions } from './open.ts';
export { openFilesStore } from './open.ts';
export type { FilesReader } from './reader.ts';
export { readFilesStore } from './reader.ts';
