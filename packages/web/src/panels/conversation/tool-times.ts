import { createContext } from 'react';

/** How long each tool call took, by its id. Provided by the reply, stored or live, to the calls anywhere inside it. */
export const ToolTimes = createContext<ReadonlyMap<string, number>>(new Map());
