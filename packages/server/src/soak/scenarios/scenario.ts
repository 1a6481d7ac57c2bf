import type { Finding } from '../finding.ts';
import type { Lane, LaneOptions, StoreKind } from '../lane.ts';
import type { Member } from '../member.ts';
import type { Random } from '../random.ts';
import type { SeenTurn } from '../seen-turn.ts';

/** What a scenario may look at while it strikes. */
export interface Scene {
  readonly lane: Lane;
  readonly random: Random;
  /** Everything begun in this round. */
  readonly turns: () => readonly SeenTurn[];
}

/** What was done to a lane. Everything is back by the time this is returned. */
export interface Strike {
  /** When the first thing was hit. */
  readonly at: number;
  /** The servers that could not continue. */
  readonly hit: readonly Member[];
  /** What went wrong while it lasted. */
  readonly findings: readonly Finding[];
}

/** A kind of fault. */
export interface Scenario {
  readonly name: string;
  readonly what: string;
  readonly stores: readonly StoreKind[];
  /** How many people talk at the same time: minimum and maximum. */
  readonly conversations: readonly [number, number];
  /** How many people write without a model; many where a commit has to be hit. */
  readonly writers: readonly [number, number];
  readonly open: (options: Omit<LaneOptions, 'servers' | 'env'>) => Promise<Stand>;
}

/** A lane prepared for a scenario. */
export interface Stand {
  readonly lane: Lane;
  readonly strike: (scene: Scene) => Promise<Strike>;
  /** Releases what the scenario holds besides the lane's servers. */
  readonly close: () => Promise<void>;
}
