export * from './arbitraries.ts';
/** Conversations as other programs write them, by format. */
export * as foreignConversations from './foreign-conversations.ts';
export * from './sketch.ts';
export * from './small-disk.ts';
export * from './tree.ts';
