export type { Clock } from './clock.ts';
export { systemClock } from './clock.ts';
export type { TransportOptions } from './options.ts';
export { send } from './send.ts';
