export * from './arbitraries.ts';
/** Conversations in the formats of other programs, by format. */
export * as foreignConversations from './foreign-conversations.ts';
/** Whole exports of other chat programs. */
export * as foreignExports from './foreign-exports.ts';
export * from './memory.ts';
export * from './sketch.ts';
export * from './small-disk.ts';
export * from './sound.ts';
export * from './tree.ts';
