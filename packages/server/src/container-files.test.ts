import { createHash } from 'node:crypto';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
beforeEach(async () => {
  simulator = await startSimulator({ seed: 'files for containers' });
  recorder = await startRecorder(simulator.url);
  server = await startTestServer(
    { ANTHROPIC_API_KEY: 'sk-test-key', OPENAI_API_KEY: 'sk-test-key' },
    { providers: { anthropic: { baseUrl: recorder.url }, openai_responses: { baseUrl: `${recorder.url}/v1` } } },
  );
});
afterEach(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});

const DATA = 'year,trees\n2025,7\n2026,9\n';
const HASH = createHash('sha256').update(DATA).digest('hex');
const kinds = () => simulator.log().map(({ kind }) => kind);
const isUpload = (body: string): boolean => body.includes('Content-Disposition: form-data');
const uploads = () => recorder.bodies().filter(isUpload);

/** A conversation with a file in which code has run. */
async function begun(provider: string): Promise<string> {
  const { project } = await server.client.createProject({ provider, providerTools: [{ tool: 'code_execution' }] });
  const { block } = await server.client.uploadBlob('trees.csv', new Blob([DATA]));
  const first = await say(server.client, project.id, 'main', [
    { type: 'text', text: '/sim code print(1)' },
    { ...block },
  ]);
  expect(endOf(first).status).toBe('complete');
  simulator.clearLog();
  return project.id;
}

/** What the code of a reply printed, among all that was streamed. */
const seen = (lines: readonly object[]): string => JSON.stringify(lines);

describe.each(['anthropic', 'openai_responses'])('files for a new container (%s)', (provider) => {
  it('TL-40: a container that has expired is followed by one with the files of the conversation', async () => {
    const { client } = server;
    const project = await begun(provider);
    const lines = await say(client, project, 'main', '/sim expire /sim code ls');
    expect(lines.filter(({ type }) => type === 'notice')).toMatchObject([
      {
        code: 'container_expired',
        message: expect.stringContaining('with these files: trees.csv.'),
        brought: ['trees.csv'],
        missing: [],
      },
    ]);
    expect(endOf(lines).status).toBe('complete');
    expect(seen(lines)).toContain(`trees.csv ${HASH}`);
    expect(kinds()).toEqual(['rejected', 'accepted']);
    expect(uploads().length).toBe(1);
    expect(uploads()[0]).toContain(DATA);

    // Later requests find the new container, or bring the files again; nothing is uploaded twice.
    simulator.clearLog();
    server = await server.restart();
    const later = await say(server.client, project, 'main', '/sim code ls -l');
    expect(seen(later)).toContain(`trees.csv ${HASH}`);
    expect(kinds()).toEqual(['accepted']);
    expect(uploads().length).toBe(1);
  });

  it('TL-41: another branch from before the loss gets them, too, and earlier replies keep their place', async () => {
    const project = await begun(provider);
    const { client } = server;

    const { branch } = await client.createBranch(project, { fromRef: 'main', name: 'other' });
    await say(client, project, 'other', '/sim search elms /sim say Nothing yet.');
    await say(client, project, 'main', '/sim expire /sim search elms /sim say Gone.');
    expect(kinds()).toEqual(['accepted', 'rejected', 'accepted']);
    simulator.clearLog();

    expect(seen(await say(client, project, branch.name, '/sim code ls'))).toContain(`trees.csv ${HASH}`);
    expect(seen(await say(client, project, 'main', '/sim code ls'))).toContain(`trees.csv ${HASH}`);
    expect(kinds()).toEqual(['accepted', 'accepted']);
    expect(uploads().length).toBe(1);
  });
});
