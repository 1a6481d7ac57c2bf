import { createServer, request } from 'node:http';

/** Stands in front of a server, passes everything on, and keeps what was asked and how it was answered. */
export async function startTee(behind) {
  const seen = [];
  const server = createServer((incoming, response) => {
    const pieces = [];
    incoming.on('data', (piece) => pieces.push(piece));
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      const exchange = { method, url, headers, body: Buffer.concat(pieces), status: 0, repairs: null, answer: '' };
      seen.push(exchange);
      const onward = request(`${behind}${url}`, { method, headers, agent: false }, (found) => {
        exchange.status = found.statusCode;
        exchange.repairs = found.headers['x-bough-repairs'] ?? null;
        response.writeHead(found.statusCode, found.headers);
        found.on('data', (piece) => {
          // Enough of it to read a refusal.
          if (exchange.answer.length < 4_000) exchange.answer += piece.toString('utf8');
          response.write(piece);
        });
        found.on('end', () => response.end());
        found.on('error', () => response.destroy());
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      onward.end(exchange.body);
    });
  });
  // What wants to become a WebSocket gets the answer of the server behind, as any other request does.
  server.on('upgrade', (incoming, socket) => {
    const exchange = { method: 'UPGRADE', url: incoming.url, headers: incoming.headers, body: Buffer.alloc(0) };
    seen.push(exchange);
    const onward = request(`${behind}${incoming.url}`, { headers: incoming.headers, agent: false }, (found) => {
      exchange.status = found.statusCode;
      socket.end(
        `HTTP/1.1 ${found.statusCode} ${found.statusMessage}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
      );
      found.resume();
    });
    onward.on('error', () => socket.destroy());
    onward.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
