import type { ProtocolHalf } from './half.ts';

/** The protocols that the simulator speaks. A request goes to the first one that accepts it. */
export const HALVES: readonly ProtocolHalf[] = [];
