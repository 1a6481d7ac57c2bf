import { Agent, createServer, request as ask } from 'node:http';
import { listen } from '../../stream/programs/serving.ts';

/** The floor: bytes go there and come back. Nothing is read, judged, changed or kept. */
const vendor = new URL(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true });

listen(
  createServer({ noDelay: true }, (request, response) => {
    const there = ask(
      {
        host: vendor.hostname,
        port: vendor.port,
        method: request.method,
        path: request.url,
        headers: { ...request.headers, host: vendor.host },
        agent,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    there.once('error', () => response.destroy());
    request.pipe(there);
  }),
);
