import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Contestant, Result } from '../frame/contest.ts';
import { hold } from '../frame/contest.ts';
import type { Suite } from '../frame/suite.ts';
import type { Started } from './program.ts';
import { startBough, startHello } from './program.ts';

const hello: Contestant = { name: 'node -e, HTTP hello', role: 'floor', run: async () => once(await startHello()) };

export const start: Suite = {
  name: 'start',
  works: ['start'],
  about: 'from starting the process to the first answered request, on an empty data directory and on one with data',
  run: async (settings) => {
    const { quick, scratch } = settings;
    const place = join(scratch, 'start');
    await mkdir(place, { recursive: true });
    const rounds = quick ? 1 : 15;
    const contest = (size: string, atMost: number, bough: Contestant): Promise<Result> => {
      settings.progress(size);
      return hold({
        work: 'start',
        size,
        unit: 'ms',
        rounds,
        contestants: [bough, hello],
        goals: [{ atMost, absolute: true }],
      });
    };
    const fresh = await contest('fresh', 2_000, {
      name: 'Bough',
      role: 'bough',
      run: async () => {
        const dataDir = await mkdtemp(join(place, 'fresh-'));
        const ms = await once(await startBough(dataDir));
        await rm(dataDir, { recursive: true, force: true });
        return ms;
      },
    });
    const dataDir = join(place, 'kept');
    await mkdir(dataDir);
    await addProject(await startBough(dataDir));
    const withData = await contest('with data', 1_000, {
      name: 'Bough',
      role: 'bough',
      run: async () => once(await startBough(dataDir)),
    });
    return [fresh, withData];
  },
};

async function once({ ms, stop }: Started): Promise<number> {
  await stop();
  return ms;
}

async function addProject({ url, stop }: Started): Promise<void> {
  const response = await fetch(`${url}/api/projects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Kept' }),
  });
  if (!response.ok) throw new Error(`No project could be made: ${await response.text()}`);
  await stop();
}
