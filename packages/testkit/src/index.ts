export * from './arbitraries.ts';
/** Conversations in the formats of other programs, by format. */
export * as foreignConversations from './foreign-conversations.ts';
export * from './sketch.ts';
export * from './small-disk.ts';
export * from './tree.ts';
