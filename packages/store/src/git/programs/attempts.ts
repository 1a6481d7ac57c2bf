import { buildNode, buildProject } from '../../contract/build.ts';
import type { Store } from '../../store.ts';
import { openGitStore } from '../index.ts';

// Started by the tests where the disk is too small or not writable. Tries what it is told, each by its size in bytes, and prints
// what became of it: the id of the stored node, or the code of the error.

const [directory, ...sizes] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: <directory> <size>…');

async function outcomeOf(attempt: () => Promise<string>): Promise<string> {
  try {
    return await attempt();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

async function tryAll(store: Store): Promise<void> {
  const project = buildProject();
  await store.createProject(project);
  for (const size of sizes.map(Number)) {
    // Not to be compressed away.
    const text = Array.from({ length: size }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');
    const node = buildNode(project, null, text);
    const attempt = async (): Promise<string> => {
      await store.appendNodes(project.id, [node]);
      return `${project.id} ${node.id}`;
    };
    console.log(await outcomeOf(attempt));
  }
}

const opened = await outcomeOf(async () => {
  const store = await openGitStore({ directory });
  await tryAll(store);
  await store.close();
  return 'closed';
});
console.log(opened);
