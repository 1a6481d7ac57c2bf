import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { answering, listen } from '../../stream/programs/serving.ts';
import { replyEvents, wishIn } from '../reply.ts';

/** Events that share a packet when nothing is paced. */
const TOGETHER = 32;

const packets = new Map<number, readonly string[]>();

/** A vendor that reads the request, looks for the wish in it and nothing else, and answers at once. */
async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { deltas, everyMs } = wishIn(Buffer.concat(chunks));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
  if (everyMs === 0) for (const packet of packetsOf(deltas)) await send(response, packet);
  else
    for (const event of replyEvents(deltas)) {
      await send(response, event);
      await sleep(everyMs);
    }
  response.end();
}

async function send(response: ServerResponse, packet: string): Promise<void> {
  if (!response.write(packet) && !response.destroyed) await once(response, 'drain');
}

function packetsOf(deltas: number): readonly string[] {
  const known = packets.get(deltas);
  if (known !== undefined) return known;
  const events = replyEvents(deltas);
  const made = Array.from({ length: Math.ceil(events.length / TOGETHER) }, (_, at) =>
    events.slice(at * TOGETHER, (at + 1) * TOGETHER).join(''),
  );
  packets.set(deltas, made);
  return made;
}

listen(createServer({ noDelay: true }, answering(reply)));
