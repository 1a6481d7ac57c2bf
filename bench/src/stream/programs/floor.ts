import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createParser } from 'eventsource-parser';
import { openJournal } from './journal.ts';
import { answering, bodyOf, listen } from './serving.ts';

/**
 * The least that a server between a provider and a client can do: each event is passed on as a line. Nothing is parsed,
 * nothing is stored.
 */
const [, , PROVIDER = '', journal] = process.argv;
/** If a file is given, lines are synced to it before anybody sees them: the cost of durability itself on this disk. */
const keep = journal === undefined ? null : await openJournal(journal);

async function pipe(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const provider = await fetch(`${PROVIDER}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'simulated', 'anthropic-version': '2023-06-01' },
    body: await bodyOf(request),
  });
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  let lines = '';
  const parser = createParser({ onEvent: ({ data }) => (lines += `${data}\n`) });
  const decoder = new TextDecoder();
  for await (const chunk of provider.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (lines !== '' && keep !== null) await keep(lines);
    // Lines that arrived together are sent together: one write per line would cost more than all the rest.
    if (lines !== '' && !response.write(lines)) await new Promise((resolve) => response.once('drain', resolve));
    lines = '';
  }
  response.end();
}

listen(createServer(answering(pipe)));
