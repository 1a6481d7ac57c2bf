import { createServer } from 'node:net';

/** Below the range from which systems assign ports, so that no other test gets it between our check and its use. */
const LOWEST = 20_000;
const COUNT = 10_000;
let next = process.pid % COUNT;

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    next = (next + 1) % COUNT;
    if (await isFree(LOWEST + next)) return LOWEST + next;
  }
  throw new Error(`No port between ${LOWEST} and ${LOWEST + COUNT} is free.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
