import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './run-document.ts';

let url: string;
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    if (request.url === '/never') response.write('first');
    else {
      response.writeHead(request.url === '/missing' ? 404 : 200);
      response.end(JSON.stringify({ method: request.method, type: request.headers['content-type'], body }));
    }
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

function curl(
  ...words: readonly string[]
): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(ROOT, 'scripts', 'docs', 'curl.mjs'), ...words], (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

describe('the curl of the documents', () => {
  it('asks and answers as curl does', async () => {
    const words = ['-sS', '-X', 'PUT', '-H', 'content-type: application/json', '-d', '{"a":1}', '-N'];
    const { code, out } = await curl(...words, `${url}/x`);
    expect([code, JSON.parse(out)]).toEqual([0, { method: 'PUT', type: 'application/json', body: '{"a":1}' }]);
    expect(JSON.parse((await curl('-s', `${url}/x`)).out)).toMatchObject({ method: 'GET' });
    expect(JSON.parse((await curl('-d', 'a=b', `${url}/x`)).out)).toMatchObject({ method: 'POST', body: 'a=b' });
  });

  it('sends a file as it is', async () => {
    const words = ['-H', 'content-type: application/octet-stream', '--data-binary', `@${join(ROOT, 'LICENSE')}`];
    const { out } = await curl('-sS', ...words, `${url}/x`);
    const body = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    expect(JSON.parse(out)).toEqual({ method: 'POST', type: 'application/octet-stream', body });
  });

  it('has curl’s exit codes: for errors, with and without the body, for nobody there, for time', async () => {
    expect(await curl('-sf', `${url}/missing`)).toEqual({ code: 22, out: '', err: '' });
    expect(await curl('-sS', '--fail-with-body', `${url}/missing`)).toMatchObject({
      code: 22,
      out: expect.stringContaining('GET'),
      err: expect.stringContaining('404'),
    });
    expect(await curl('-s', `${url}/missing`)).toMatchObject({ code: 0, out: expect.stringContaining('GET') });
    expect(await curl('-sf', 'http://127.0.0.1:9')).toEqual({ code: 7, out: '', err: '' });
    expect(await curl('-s', '--max-time', '3', `${url}/never`)).toMatchObject({ code: 28, out: 'first' });
  });

  it.each([
    ['--insecure'],
    ['-k'],
    ['-sL'],
    ['-o', 'file'],
    ['--user', 'ada'],
    ['-d', '@file'],
    ['-H'],
    ['http://127.0.0.1:9'],
  ])('refuses what no document uses: %s %s', async (...words) => {
    expect(await curl(`${url}/x`, ...words)).toMatchObject({ code: 2, out: '' });
  });
});
