/** The day of a time; empty where another program wrote none. */
export const dayOf = (time: string): string => (Date.parse(time) === 0 ? '' : time.slice(0, 10));
