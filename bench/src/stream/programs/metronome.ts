import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { clockMicros, stamp } from '../dialects.ts';
import { answering, bodyOf, listen } from './serving.ts';

/**
 * A provider that sends its events one by one, at a model's pace, and writes the send time into each. The simulator
 * plans its replies ahead and cannot do that. The message says what is wanted: `{ deltas, everyMs }`.
 */
async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { deltas, everyMs } = wishOf(await bodyOf(request));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: string, data: object): boolean =>
    response.write(`event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`);
  send('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-5',
      content: [],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  });
  // A model takes some time before it speaks, a different one each time. Otherwise streams that are requested together
  // would send in lockstep, start while the last of them are still being opened, and end all at once, which real ones
  // do not.
  let due = performance.now() + everyMs * (30 + 60 * Math.random());
  const beat = async (): Promise<void> => {
    due += everyMs;
    await sleep(Math.max(0, due - performance.now()));
  };
  const half = deltas / 2;
  send('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } });
  for (let sent = 0; sent < half; sent += 1) {
    await beat();
    send('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: stamp(clockMicros()) } });
  }
  send('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'c2lnbmVk' } });
  send('content_block_stop', { index: 0 });
  send('content_block_start', { index: 1, content_block: { type: 'text', text: '' } });
  for (let sent = 0; sent < half; sent += 1) {
    await beat();
    send('content_block_delta', { index: 1, delta: { type: 'text_delta', text: stamp(clockMicros()) } });
  }
  send('content_block_stop', { index: 1 });
  send('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: deltas } });
  send('message_stop', {});
  response.end();
}

/** The wish is the last JSON object that appears as a text in the request. */
function wishOf(body: string): { readonly deltas: number; readonly everyMs: number } {
  const [, deltas, everyMs] = /deltas (\d+) every (\d+) ms/.exec(body) ?? [];
  return { deltas: Number(deltas), everyMs: Number(everyMs) };
}

listen(createServer({ noDelay: true }, answering(reply)));
