import { type IncomingMessage, request } from 'node:http';
import { type Arrival, clockMicros, type Dialect, read, type Received } from '../dialects.ts';

/** What to request: all streams at once. */
export interface Job {
  readonly dialect: Dialect;
  readonly streams: readonly { readonly url: string; readonly body: string }[];
}

/**
 * Records what arrives and when; parsing waits until all streams are done, so that the client's own work is in nobody's
 * way.
 */
async function receive(url: string, body: string): Promise<readonly Arrival[]> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, agent: false }, resolve)
      .once('error', reject)
      .end(body);
  });
  const arrivals: Arrival[] = [];
  response.on('data', (bytes: Buffer) => arrivals.push({ bytes, at: clockMicros() }));
  await new Promise<void>((resolve, reject) => {
    response.once('end', resolve).once('error', reject);
  });
  if (response.statusCode !== 200)
    throw new Error(`${response.statusCode}: ${Buffer.concat(arrivals.map(({ bytes }) => bytes)).toString()}`);
  return arrivals;
}

let received: readonly (readonly Arrival[])[] = [];

async function answer(job: Job | { readonly dialect: Dialect }): Promise<readonly Received[] | null> {
  if (!('streams' in job)) return received.map((arrivals) => read(job.dialect, arrivals));
  received = await Promise.all(job.streams.map(({ url, body }) => receive(url, body)));
  return null;
}

process.on('message', (job: Job) => {
  answer(job).then(
    (ok) => process.send?.({ ok }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  );
});
process.stdout.write('http://none\n');
