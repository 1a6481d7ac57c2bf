import type { Random } from './random.ts';

/** What is known of one project: values by the kind of thing that they name. */
export type World = ReadonlyMap<Kind, readonly string[]>;

/** What the server has revealed so far, so that requests can be about things that exist and belong together. */
export interface Pool {
  /** Collects ids and names from an answer, for the project that it was about. */
  readonly learn: (answer: unknown, project?: string) => void;
  readonly forget: (project: string) => void;
  /** One of the projects, with its nodes, branches and turns. */
  readonly world: (random: Random) => World;
  /** How many projects are known to exist. */
  readonly size: () => number;
  /** A project beyond those that are kept, to be deleted: a server with thousands of them would only be slow. */
  readonly surplus: () => string | undefined;
}

type Kind = 'project' | 'branch' | 'node' | 'turn' | 'call' | 'provider' | 'model' | 'tool';

const KEPT = 60;
const KEPT_PROJECTS = 24;

const KIND_OF: Readonly<Record<string, Kind>> = {
  id: 'project',
  ref: 'branch',
  fromRef: 'branch',
  name: 'branch',
  nodeId: 'node',
  fromNodeId: 'node',
  tipId: 'node',
  before: 'node',
  turnId: 'turn',
  toolCallId: 'call',
  provider: 'provider',
  providerId: 'provider',
  llmProvider: 'provider',
  model: 'model',
  llmModel: 'model',
  tools: 'tool',
};

/**
 * Something real for a field or parameter of this name; undefined where nothing is known. Mostly recent things: old
 * ones may be gone.
 */
export function valueFor(world: World, name: string, random: Random): string | undefined {
  const kind = KIND_OF[name];
  const all = kind === undefined ? [] : (world.get(kind) ?? []);
  // Mostly those that answer: a branch with another provider can do little.
  const list = kind === 'provider' && random.chance(0.8) ? all.filter((id) => id.startsWith('simulated')) : all;
  const from = random.chance(0.7) ? Math.max(0, list.length - 8) : 0;
  return list[from + random.below(Math.max(1, list.length - from))];
}

export function createPool(): Pool {
  const shared = new Map<Kind, string[]>();
  const projects = new Map<string, Map<Kind, string[]>>();
  const add = (known: Map<Kind, string[]>, kind: Kind, value: unknown): void => {
    const list = known.get(kind) ?? [];
    known.set(kind, list);
    if (typeof value !== 'string' || list.includes(value)) return;
    list.push(value);
    if (list.length > KEPT) list.shift();
  };
  const learnObject = (value: Readonly<Record<string, unknown>>, project: string | undefined): void => {
    if ('models' in value) add(shared, 'provider', value['id']);
    if ('contextWindow' in value && 'label' in value) add(shared, 'model', value['id']);
    if ('approval' in value && 'source' in value) add(shared, 'tool', value['name']);
    const known = projects.get(project ?? '');
    if (known === undefined) return;
    if ('tipId' in value && 'pinned' in value) for (const field of ['id', 'name']) add(known, 'branch', value[field]);
    if (typeof value['role'] === 'string') add(known, 'node', value['id']);
    for (const field of ['nodeId', 'userNodeId', 'tipId', 'parentId']) add(known, 'node', value[field]);
    for (const field of ['turnId', 'runningTurnId']) add(known, 'turn', value[field]);
    add(known, 'call', value['toolCallId']);
  };
  /** The project that an answer reveals: one with its branches, or with its first one. */
  const projectIn = (answer: unknown): string | undefined => {
    if (typeof answer !== 'object' || answer === null || !('project' in answer)) return undefined;
    const { project } = answer;
    if (typeof project !== 'object' || project === null || !('id' in project)) return undefined;
    const { id } = project;
    if (typeof id === 'string' && !projects.has(id)) projects.set(id, new Map([['project', [id]]]));
    return typeof id === 'string' ? id : undefined;
  };
  return {
    learn: (answer, project) => {
      const about = projectIn(answer) ?? project;
      const rest: unknown[] = [answer];
      for (let count = 0; rest.length > 0 && count < 2_000; count += 1) {
        const value = rest.pop();
        if (Array.isArray(value)) rest.push(...(value as readonly unknown[]).slice(-50));
        else if (typeof value === 'object' && value !== null) {
          learnObject(value as Readonly<Record<string, unknown>>, about);
          rest.push(...Object.values(value));
        }
      }
    },
    forget: (project) => projects.delete(project),
    size: () => projects.size,
    world: (random) => {
      const known = [...projects.values()];
      return new Map([...shared, ...(known[random.below(known.length)] ?? [])]);
    },
    surplus: () => {
      const [oldest] = projects.keys();
      if (oldest === undefined || projects.size <= KEPT_PROJECTS) return undefined;
      projects.delete(oldest);
      return oldest;
    },
  };
}
