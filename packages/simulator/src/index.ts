export type * from './half.ts';
export type * from './reply.ts';
export type * from './world.ts';
