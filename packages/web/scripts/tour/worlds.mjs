// The programs that the tour visits, each started when a step first needs it.
import { startRunningProgram } from '../running-program.mjs';
import { tellStory } from './story.mjs';

export const TOKEN = 'a-token-for-the-tour-alone';
const ASKING = { tools: { approval: { calculator: 'ask' } } };

const WORLDS = {
  /** Nothing has been written yet. */
  empty: async () => ({ program: await startRunningProgram() }),
  /** Projects, branches and messages of every kind. */
  story: async () => {
    const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' }, ASKING);
    return { program, story: await tellStory(program) };
  },
  /** One where a key was entered. No message is sent there: it would leave the machine. */
  keyed: async () => {
    const program = await startRunningProgram();
    await program.call('PUT', '/providers/anthropic/key', { key: 'sk-not-a-real-key-0000' });
    return { program };
  },
  /** A server that asks for its token. */
  guarded: async () => ({ program: await startRunningProgram({ BOUGH_TOKEN: TOKEN }) }),
};

export function createWorlds() {
  const started = new Map();
  const own = [];
  return {
    visit: (name) => {
      if (!started.has(name)) started.set(name, WORLDS[name]());
      return started.get(name);
    },
    /** One that a step may stop by itself. */
    startOwn: async () => {
      const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' }, ASKING);
      let stopped = null;
      const stop = () => (stopped ??= program.stop());
      own.push(stop);
      return { ...program, stop };
    },
    end: async () => {
      const worlds = await Promise.allSettled(started.values());
      const running = worlds.flatMap(({ value }) => (value === undefined ? [] : [value.program.stop]));
      await Promise.all([...running, ...own].map((stop) => stop()));
    },
  };
}
