import { calm } from './calm.ts';
import { cutConnections } from './cut-connections.ts';
import { database } from './database.ts';
import { frozenOwner } from './frozen-owner.ts';
import type { Scenario } from './scenario.ts';
import { secondServer } from './second-server.ts';
import { server } from './server.ts';

export type { Scenario, Stand } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [calm, server, database, secondServer, frozenOwner, cutConnections];
