import type { Client } from '@bough/api';
import type { ContentBlock, DocumentBlock } from '@bough/core';
import { isDocumentBlock } from '@bough/core';
import type { Simulator } from '@bough/simulator';
import { startSimulator } from '@bough/simulator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Recorder } from './testing/recorder.ts';
import { startRecorder } from './testing/recorder.ts';
import type { TestServer } from './testing/start.ts';
import { endOf, say, startTestServer } from './testing/start.ts';

// PDFs that the provider itself fetches, through the running program.

let simulator: Simulator;
let recorder: Recorder;
let server: TestServer;
let client: Client;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'papers' });
  recorder = await startRecorder(simulator.url);
  server = await startTestServer({}, { providers: { simulated: { baseUrl: recorder.url } } });
  client = server.client;
});
beforeEach(() => simulator.clearLog());
afterAll(async () => {
  await server.dispose();
  await recorder.close();
  await simulator.close();
});

const refused = () => simulator.log().filter(({ kind }) => kind !== 'accepted');

async function complete(project: string, message: string): Promise<string> {
  const lines = await say(client, project, 'main', message);
  expect(endOf(lines).status, JSON.stringify(lines.filter(({ type }) => type === 'error'))).toBe('complete');
  return JSON.stringify(lines);
}

const begin = async (): Promise<string> => {
  const providerTools = [{ tool: 'web_fetch' as const }];
  return (await client.createProject({ name: 'papers', provider: 'simulated', providerTools })).project.id;
};
const papersOf = async (project: string): Promise<readonly DocumentBlock[]> => {
  const { groups } = await client.history(project, { ref: 'main' });
  return groups.flatMap(({ reply }) =>
    reply.flatMap(({ contentBlocks }) => (contentBlocks as readonly ContentBlock[]).filter(isDocumentBlock)),
  );
};
/** The PDFs of the last request, as they were sent. */
const sentPapers = (): readonly string[] =>
  recorder
    .bodies()
    .at(-1)
    ?.match(/JVBER[\w+/]*={0,2}/g) ?? [];

describe('a PDF that the provider fetched', () => {
  it('SV-194: is a file of the reply, and its bytes are in nothing else that is read', async () => {
    const project = await begin();
    const lines = await complete(project, '/sim fetch https://example.com/elm.pdf?pages=3 /sim say Read.');
    const [paper] = await papersOf(project);
    expect(paper).toMatchObject({ type: 'document', name: 'Trees.pdf', pages: 3 });
    expect(lines).not.toContain('JVBER');
    expect(JSON.stringify(await client.history(project, { ref: 'main' }))).not.toContain('JVBER');
    await complete(project, 'And now?');
    const [sent] = sentPapers();
    const kept = await (await client.getBlob(paper?.file.hash ?? '', project)).arrayBuffer();
    expect(sent).toBe(Buffer.from(kept).toString('base64'));
    expect(refused()).toEqual([]);
  });

  it('SV-195: counts among the pages of a request; where they are too many, the oldest replies go as text', async () => {
    const project = await begin();
    for (const year of [2024, 2025, 2026])
      await complete(project, `/sim fetch https://example.com/${year}.pdf?pages=45 /sim say Read.`);
    const { report } = await client.contextReport(project, { ref: 'main', message: 'And now?' });
    expect(report.flatMap(({ reasons }) => reasons)).toContain('file_over_limit');
    await complete(project, 'And now?');
    expect(sentPapers().length).toBeLessThan(3);
    expect(refused()).toEqual([]);
  });
});
