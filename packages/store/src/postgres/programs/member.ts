import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { joinEmbeddedServer } from '../embedded/index.ts';
import { readPostmaster } from '../embedded/postmaster.ts';

// A process that uses an embedded server until its input ends, then leaves it. Prints its user id and the server
// that it found.
const [dataDir, binaryPackage] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: <data directory> [binary package]');

const server = await joinEmbeddedServer({ dataDir, ...(binaryPackage !== undefined && { binaryPackage }) });
const postmaster = await readPostmaster(join(server.home, 'cluster'));
writeSync(
  1,
  `${JSON.stringify({ uid: process.getuid?.() ?? null, postmaster: postmaster?.pid, home: server.home })}\n`,
);
process.stdin.resume();
await once(process.stdin, 'end');
await server.leave();
