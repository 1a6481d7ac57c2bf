#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startSimulator } from './server.ts';

const DEFAULT_PORT = 4010;
const DEFAULT_PACE_MS = 12;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: String(DEFAULT_PORT) },
    seed: { type: 'string' },
    pace: { type: 'string', default: String(DEFAULT_PACE_MS) },
  },
});

const simulator = await startSimulator({
  port: Number(values.port),
  paceMs: Number(values.pace),
  ...(values.seed === undefined ? {} : { seed: values.seed }),
});

const stop = (): void => void simulator.close();
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
console.log(`The Bough simulator listens on ${simulator.url}`);
