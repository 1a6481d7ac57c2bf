import { createServer } from 'node:http';

/** Serves one recorded response to any client, on loopback. `serve` selects it. */
export async function startReplayServer() {
  let current = { status: 200, type: 'application/json', body: '' };
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(current.status, { 'content-type': current.type, 'x-should-retry': 'false' });
      response.end(current.body);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    serve: ({ response, isStream, meta }) => {
      current = { status: meta.status, type: isStream ? 'text/event-stream' : 'application/json', body: response };
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
