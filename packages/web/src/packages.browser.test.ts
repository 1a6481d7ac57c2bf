import { startSimulator } from '@bough/simulator';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from './testing/browser.ts';

/** A page that asks a model twice, with what `@bough/providers` would send from Node, and loads the bridge. */
const PAGE = `
import { createNode, nodeId, projectId, ReplyFold } from '@bough/core';
import { createDeployments, createProvider, prepareCall } from '@bough/providers';
import { boughReplay } from '@bough/ai-sdk';

const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: location.origin };
const deployments = createDeployments({ env, simulatorUrl: null });
const deployment = deployments.byId('anthropic');
const provider = createProvider(deployment, { key: deployments.keyOf(deployment) });
const target = { provider, model: deployment.defaultModel, systemPrompt: null, tools: [], thinking: 'medium' };
const path = [];
const raws = new Map();
const add = (node) => {
  const ids = { id: nodeId('n' + path.length), projectId: projectId('p'), parentId: path.at(-1)?.id ?? null };
  path.push(createNode({ ...ids, createdAt: new Date().toISOString(), ...node }));
};
const say = async (text, change = (request) => request) => {
  add({ role: 'user', contentBlocks: [{ type: 'text', text }] });
  const { request, context, report } = prepareCall(path, target, { rawOf: (id) => raws.get(id) });
  const reply = provider.send(change(request), { signal: AbortSignal.timeout(60_000) });
  const fold = new ReplyFold();
  for await (const { events } of reply.batches) for (const event of events) fold.push(event);
  const { blocks, error } = fold.result();
  if (error !== null) throw new Error(error.message);
  const { provider: by, model } = request.issuer;
  add({ role: 'assistant', contentBlocks: blocks, provider: by, modelUsed: model, madeWith: context.madeWith });
  raws.set(path.at(-1).id, reply.raw());
  return { text: path.at(-1).content, fidelity: report.map((line) => line.fidelity), bridge: typeof boughReplay() };
};
// As a long conversation is sent: in pieces, which are not joined.
const inPieces = (request) => {
  const bytes = typeof request.body === 'string' ? [new TextEncoder().encode(request.body)] : request.body;
  return { ...request, body: bytes.flatMap((piece) => [piece.subarray(0, 100), piece.subarray(100)]) };
};
globalThis.talk = async () => [await say('/sim think 1'), await say('And then?', inPieces)];
`;

async function bundled(): Promise<string> {
  const result = await build({
    root: fileURLToPath(new URL('..', import.meta.url)),
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['bough-source', 'browser', 'module', 'import'] },
    plugins: [
      {
        name: 'page',
        resolveId: (id) =>
          id === 'virtual:page' ? fileURLToPath(new URL('packages.virtual.ts', import.meta.url)) : null,
        load: (id) => (id.endsWith('packages.virtual.ts') ? PAGE : null),
      },
    ],
    build: { write: false, minify: false, rolldownOptions: { input: 'virtual:page' } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined;
  if (chunk?.type !== 'chunk') throw new Error('Nothing was bundled.');
  return chunk.code;
}

test('PK-86: a page talks to a model with core, providers and the bridge, and its thinking goes back', async () => {
  const script = await bundled();
  expect(script).not.toMatch(/from\s*["']node:|import\(["']node:/);
  const simulator = await startSimulator();
  onTestFinished(simulator.close);
  // The page and the model on one address: as an application does that keeps its key on its server.
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const answer = await fetch(`${simulator.url}${request.url ?? ''}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  };
  const HTML = '<script type="module" src="/page.js"></script>';
  const server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(HTML);
    else if (request.url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
    // The page sees a broken connection, and says so.
    else passOn(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((ready) => {
    server.once('listening', ready);
  });
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await page.waitForFunction('globalThis.talk !== undefined');
  const [first, second] = (await page.evaluate('globalThis.talk()')) as readonly unknown[];
  expect(first).toMatchObject({ fidelity: ['verbatim'], bridge: 'object', text: expect.stringMatching(/./) as string });
  expect(second).toMatchObject({ fidelity: ['verbatim', 'verbatim', 'verbatim'] });
  expect(simulator.log().map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
}, 120_000);
