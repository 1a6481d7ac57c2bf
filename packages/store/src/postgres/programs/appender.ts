import { once } from 'node:events';
import { nodeId, projectId } from '@bough/core';
import { buildNode, buildProject } from '../../contract/build.ts';
import { ConflictError } from '../../errors.ts';
import { openPostgresStore } from '../index.ts';

// Appends a number of nodes to one branch, each after the tip of that moment, in competition with others that do the
// same. It begins when its input ends: one that is started late would find nobody to compete with.
const [dataDir, project, branch, name, count] = process.argv.slice(2);
if (dataDir === undefined || project === undefined || branch === undefined || name === undefined) {
  throw new Error('usage: <data directory> <project> <branch> <name> <count>');
}

const store = await openPostgresStore({ dataDir });
console.log('ready');
await once(process.stdin.resume(), 'end');
const id = projectId(project);
let conflicts = 0;
for (let step = 0; step < Number(count); step += 1) {
  for (let stored = false; !stored;) {
    const { id: branchId, tipId } = await store.getBranch(id, branch);
    const parent = tipId === null ? null : { id: tipId };
    const node = { ...buildNode(buildProject({ id }), parent, `${name} ${step}`), id: nodeId(`${name}-${step}`) };
    try {
      await store.appendNodes(id, [node], { branchId, expected: tipId, next: node.id });
      stored = true;
    } catch (error) {
      if (!(error instanceof ConflictError) || error.code !== 'tip_moved') throw error;
      conflicts += 1;
    }
  }
}
await store.close();
console.log(conflicts);
