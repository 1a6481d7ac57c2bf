export type { Clock } from './clock.ts';
export { systemClock } from './clock.ts';
export type { TransportOptions } from './options.ts';
export { forward } from './forward/index.ts';
export type { Forwarded, ForwardedBody, ForwardedPiece, ForwardInput } from './forward/index.ts';
export type { Wire, WireReply, WireRequest } from './forward/wire.ts';
export { send } from './send.ts';
