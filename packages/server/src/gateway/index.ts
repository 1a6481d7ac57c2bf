import type { ConversationHook, Gateway, RouteRule } from '@bough/gateway';
import { createGateway } from '@bough/gateway';
import type { Config } from '../config/index.ts';
import type { EarlyListener } from '../http/index.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/index.ts';
import type { LiveProviders } from '../providers/index.ts';
import { createRateLimit, isSame } from '../security/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { createGatewayListener } from './listener.ts';
import type { SeenClient } from './seen.ts';
import { createSeenClients } from './seen.ts';

export interface GatewayParts {
  readonly config: Config;
  readonly providers: LiveProviders;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
  readonly log: Log;
  /** Absent: everything passes unrecorded. */
  readonly hook?: ConversationHook;
}

/** The gateway of this server. */
export interface ServedGateway {
  readonly listener: EarlyListener;
  readonly stop: Gateway['stop'];
  readonly state: () => GatewayState;
  /** A routed conversation passed unrecorded; the gateway itself hears of the others. */
  readonly noteUnrecorded: () => void;
}

export interface GatewayState {
  readonly mode: 'record' | 'repair';
  /** Requests that are under way. */
  readonly running: number;
  /** Conversations that passed without being recorded as a whole, since this server started. */
  readonly unrecorded: number;
  readonly clients: readonly SeenClient[];
  readonly routes: readonly RouteRule[];
}

const REQUESTS_PER_MINUTE = 6_000;
const WRONG_TOKENS_PER_MINUTE = 60;

export function serveGateway({ config, providers, metrics, telemetry, log, hook }: GatewayParts): ServedGateway {
  const { token, file } = config;
  const seen = createSeenClients(() => new Date());
  let unrecorded = 0;
  const gateway = createGateway({
    providers,
    isToken: token === null ? null : (text) => isSame(text, token),
    hook,
    whenStoreFails: file.gateway?.whenStoreFails,
    observe: (event) => {
      metrics.gateway(event);
      if (event.type === 'asked') return seen.note(event);
      if (event.type === 'unrecorded') unrecorded += 1;
      log.error(event.type === 'unrecorded' ? 'unrecorded' : 'problem', { message: event.message });
    },
  });
  const requests = createRateLimit(file.limits?.requestsPerMinute ?? REQUESTS_PER_MINUTE, Date.now);
  const wrongTokens = createRateLimit(WRONG_TOKENS_PER_MINUTE, Date.now);
  return {
    listener: createGatewayListener({ gateway, options: config, requests, wrongTokens, metrics, telemetry, log }),
    stop: gateway.stop,
    state: () => ({
      mode: file.gateway?.mode ?? 'repair',
      running: gateway.running(),
      unrecorded,
      clients: seen.list(),
      routes: file.gateway?.routes ?? [],
    }),
    noteUnrecorded: () => {
      unrecorded += 1;
    },
  };
}
