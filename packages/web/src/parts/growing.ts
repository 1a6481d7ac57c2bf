import { createContext } from 'react';

/** Whether the block is the last one of a text that still arrives: its end may be missing. */
export const GrowingContext = createContext(false);
