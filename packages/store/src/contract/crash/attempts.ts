import type { Store } from '../../store.ts';
import { buildNode, buildProject } from '../build.ts';

/**
 * The body of a program that tests start where the disk is too small or not writable. Tries to store a text of each
 * given size and prints the result: the ids of project and node, or the code and subject of the error.
 */
export async function printAttempts(
  open: (directory: string) => Promise<Store>,
  textOf: (size: number) => string,
): Promise<void> {
  const [directory, ...sizes] = process.argv.slice(2);
  if (directory === undefined) throw new Error('usage: <directory> <size>…');
  const opened = await outcomeOf(async () => {
    const store = await open(directory);
    const project = buildProject();
    await store.createProject(project);
    for (const size of sizes.map(Number)) {
      const node = buildNode(project, null, textOf(size));
      const outcome = await outcomeOf(async () => {
        await store.appendNodes(project.id, [node]);
        return `${project.id} ${node.id}`;
      });
      console.log(outcome);
    }
    await store.close();
    return 'closed';
  });
  console.log(opened);
}

async function outcomeOf(attempt: () => Promise<string>): Promise<string> {
  try {
    return await attempt();
  } catch (error) {
    const { code, subject } = error as { code?: string; subject?: string };
    return `${code} ${subject}`;
  }
}
