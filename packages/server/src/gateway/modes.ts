import type { ProjectId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { Store } from '@bough/store';
import { ConflictError } from '@bough/store';
import type { Config } from '../config/index.ts';

export type GatewayMode = 'record' | 'repair';

/** How requests of other clients are treated, in each project. */
export interface GatewayModes {
  /** Of a project, or of one that is not known yet. Asked for every request, so it is answered from memory. */
  readonly of: (project: ProjectId | null) => GatewayMode;
  /** What people chose for a project; null: nothing. */
  readonly chosen: (project: ProjectId) => GatewayMode | null;
  readonly choose: (project: ProjectId, mode: GatewayMode | null) => Promise<void>;
  /** Resolves when everything that was heard of has been read. */
  readonly close: () => Promise<void>;
}

const DOCUMENT = 'gateway-modes';

/**
 * What people chose for a project lies on the shelf and counts more than the configuration file. Another server that
 * shares the store hears that a project changed, and reads it again.
 */
export async function openModes(
  store: Pick<Store, 'getDocument' | 'putDocument' | 'publish' | 'subscribe'>,
  file: Config['file']['gateway'],
  onProblem: (error: unknown) => void,
): Promise<GatewayModes> {
  let known: ReadonlyMap<string, GatewayMode> = new Map();
  const read = async (): Promise<number> => {
    const found = await store.getDocument(DOCUMENT);
    known = modesIn(found?.value);
    return found?.version ?? 0;
  };
  await read();
  let reading: Promise<unknown> = Promise.resolve();
  const stop = store.subscribe((signal) => {
    // A turn that began or ended changes no setting.
    if (signal.type === 'changed' && signal.turnId === undefined) reading = reading.then(read).catch(onProblem);
  });
  const choose = async (project: ProjectId, mode: GatewayMode | null): Promise<void> => {
    const version = await read();
    const next = new Map(known);
    if (mode === null) next.delete(project);
    else next.set(project, mode);
    try {
      await store.putDocument(DOCUMENT, Object.fromEntries(next), version);
    } catch (error) {
      // Somebody chose for another project at the same moment.
      if (error instanceof ConflictError) return choose(project, mode);
      throw error;
    }
    known = next;
    await store.publish({ type: 'changed', projectId: project });
  };
  const chosen = (project: ProjectId): GatewayMode | null => known.get(project) ?? null;
  return {
    of: (project) => {
      const own = project === null ? null : (chosen(project) ?? file?.projects?.[project]?.mode);
      return own ?? file?.mode ?? 'repair';
    },
    chosen,
    choose,
    close: async () => {
      stop();
      await reading;
    },
  };
}

function modesIn(value: unknown): ReadonlyMap<string, GatewayMode> {
  if (!isPlainObject(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([project, mode]) =>
      mode === 'record' || mode === 'repair' ? [[project, mode] as const] : [],
    ),
  );
}
