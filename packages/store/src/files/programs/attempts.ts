import { buildNode, buildProject } from '../../contract/build.ts';
import type { Store } from '../../store.ts';
import { openFilesStore } from '../index.ts';

// Started by the tests where the disk is too small or not writable. Tries what it is told, each by its size in bytes, and prints
// what became of it: the id of the stored node, or the code and the subject of the error.

const [directory, ...sizes] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: <directory> <size>…');

async function outcomeOf(attempt: () => Promise<string>): Promise<string> {
  try {
    return await attempt();
  } catch (error) {
    const { code, subject } = error as { code?: string; subject?: string };
    return `${code} ${subject}`;
  }
}

async function tryAll(store: Store): Promise<void> {
  const project = buildProject();
  await store.createProject(project);
  for (const size of sizes.map(Number)) {
    const node = buildNode(project, null, 'x'.repeat(size));
    const outcome = await outcomeOf(async () => {
      await store.appendNodes(project.id, [node]);
      return `${project.id} ${node.id}`;
    });
    console.log(outcome);
  }
}

const opened = await outcomeOf(async () => {
  const store = await openFilesStore({ directory });
  await tryAll(store);
  await store.close();
  return 'closed';
});
console.log(opened);
