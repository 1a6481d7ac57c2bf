import type { Dialect, Received } from './dialects.ts';
import { launch } from './processes.ts';

export interface ClientRequest {
  readonly url: string;
  readonly body: string;
}

/** The client program: reads many streams at once, in its own process. */
export interface ClientProgram {
  /** Resolves when every stream has ended. */
  readonly receive: (streams: readonly ClientRequest[]) => Promise<void>;
  /** What the streams of the last `receive` said. */
  readonly read: (dialect: Dialect) => Promise<readonly Received[]>;
  readonly stop: () => Promise<void>;
}

export async function startClient(): Promise<ClientProgram> {
  const { ask, stop } = await launch(new URL('programs/client.js', import.meta.url));
  return {
    receive: async (streams) => {
      await ask({ streams });
    },
    read: (dialect) => ask({ dialect }),
    stop,
  };
}
