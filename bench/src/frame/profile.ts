import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';

/** Records where `work` spends its time, writes the profile for a viewer, and names the most expensive functions. */
export async function profiled(path: string, work: () => Promise<void> | void): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    await work();
    const { profile } = await session.post('Profiler.stop');
    await writeFile(path, JSON.stringify(profile));
    return dearest(profile.nodes, profile.samples ?? [], 20);
  } finally {
    session.disconnect();
  }
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

/** The functions by their own processor time, without what they call. */
export function dearest(nodes: readonly ProfileNode[], samples: readonly number[], count: number): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const hits = new Map<string, number>();
  for (const id of samples) {
    const name = names.get(id) ?? '(unknown)';
    hits.set(name, (hits.get(name) ?? 0) + 1);
  }
  return [...hits]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, hit]) => `${((100 * hit) / samples.length).toFixed(1).padStart(5)} %  ${name}`)
    .join('\n');
}

function nameOf({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const file = url.startsWith('file://') ? relative(process.cwd(), new URL(url).pathname) : url;
  return `${functionName === '' ? '(anonymous)' : functionName} ${file}${file === '' ? '' : `:${lineNumber + 1}`}`;
}
