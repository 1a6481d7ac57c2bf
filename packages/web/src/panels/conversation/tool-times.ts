import { createContext } from 'react';

/**
 * How long each tool call took, by its id. Given by the reply, stored or live, to the calls wherever they stand in it.
 */
export const ToolTimes = createContext<ReadonlyMap<string, number>>(new Map());
