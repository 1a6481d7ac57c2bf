import { writeSync } from 'node:fs';
import { buildProject } from '../../contract/build.ts';
import { openGitStore } from '../index.ts';

// Started by a test: holds a store until it is killed.

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: <directory>');
const store = await openGitStore({ directory });
await store.createProject(buildProject());
writeSync(1, 'held\n');
setInterval(() => undefined, 60_000);
