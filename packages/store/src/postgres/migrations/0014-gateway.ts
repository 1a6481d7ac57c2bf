import type { Migration } from './migration.ts';

/**
 * What the gateway records: the trail that leads a client's next request to its place, how a request can be rebuilt,
 * and where a branch comes from. A conversation that came another way has no trails and costs no index entries.
 */
export const gateway: Migration = {
  number: 14,
  name: 'gateway',
  statements: [
    `ALTER TABLE nodes ADD COLUMN trail text COLLATE "C"`,
    `CREATE INDEX nodes_trail ON nodes (trail, position) WHERE trail IS NOT NULL`,
    `ALTER TABLE calls ADD COLUMN exchange text`,
    `ALTER TABLE branches ADD COLUMN recorded text`,
  ],
};
