// Checks every recorded reply and request of the shared folder against our folds and rulebooks:
//   node packages/providers/scripts/check-recordings.mjs [folder] [--only text]
// For each reply: nothing is lost, and the blocks are those that the official client makes of it. For each request:
// what the real API accepted passes the rulebook, and what it rejected for its history or its parameters does not.
import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { eventsOfRaw, bodyOfRaw, foldToBlocks } from '@bough/core';
import { buildContentBlocksForProvider, createProvider, protocolById } from '@bough/providers';
import { differences, lostTexts } from './recordings/compare.mjs';
import { deploymentFor } from './recordings/deployments.mjs';
import { loadRecordings } from './recordings/load.mjs';
import { ORACLES } from './recordings/oracles.mjs';
import { startReplayServer } from './recordings/replay-server.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const workspace = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = resolve(positionals[0] ?? resolve(workspace, '../shared/fixtures'));
if (!existsSync(folder)) {
  console.log(`Skipped: there are no recordings at ${relative(process.cwd(), folder)}.`);
  process.exit(0);
}

/** Requests that no rulebook can check, each with the reason. */
const EXEMPT = {
  'openrouter/req_llm--openrouter-openai_gpt_5_image-usage':
    'a model that no catalogue lists refused a sampling parameter',
};

/** Rejections caused by the history or the parameters of the request: those that a rulebook can foresee. */
const FORESEEABLE = /^(?:history|thinking parameters)/;

const server = await startReplayServer();
const counts = { replies: 0, unread: 0, requests: 0, rejections: 0, other: 0 };
const problems = [];
for (const recording of loadRecordings(folder)) {
  const { meta, protocol } = recording;
  if (values.only && !meta.id.includes(values.only)) continue;
  if (protocol === null) {
    counts.other += 1;
    continue;
  }
  const report = (problem) => problems.push(`${meta.id}\n    ${problem}`);
  const deployment = { ...deploymentFor(recording), baseUrl: server.url, keyOptional: true };
  if (meta.status === 200) {
    counts.replies += 1;
    await checkReply(recording, deployment, report);
  }
  checkRequest(recording, deployment, report);
}
await server.close();

for (const problem of problems) console.log(problem);
console.log(
  `${counts.replies} replies (${counts.unread} of which the official client cannot read), ${counts.requests} accepted requests, ${counts.rejections} rejections, ` +
    `${counts.other} recordings of other protocols left out: ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

async function checkReply(recording, deployment, report) {
  const { meta, protocol, response } = recording;
  server.serve(recording);
  const reply = createProvider(deployment, { key: null, retries: 0 }).send(
    {
      protocol,
      issuer: { provider: deployment.id, deployment: 'recording', model: meta.model },
      method: 'POST',
      url: `${server.url}/recording`,
      headers: {},
      body: '{}',
      stream: recording.isStream,
      notes: [],
      violations: [],
      renderings: [],
    },
    { signal: new AbortController().signal },
  );
  const events = [];
  for await (const batch of reply.batches) events.push(...batch.events);
  const raw = reply.raw();
  const blocks = buildContentBlocksForProvider(raw);
  if (JSON.stringify(foldToBlocks(events)) !== JSON.stringify(blocks))
    report('the live blocks differ from those of raw');
  const served = recording.isStream ? eventsOfRaw(raw).map(({ data }) => data) : [bodyOfRaw(raw)];
  if (!recording.isStream && served[0] !== response) report('raw is not the body that was served');
  if (recording.isStream && !served.every((data) => response.includes(data.split('\n')[0])))
    report('raw is not what was served');
  const lost = lostTexts(served.flatMap(parsed), blocks);
  if (lost.length > 0) report(`lost: ${lost.slice(0, 3).join(' | ')}`);
  const explained = events.some(({ type, reason }) => type === 'error' || (type === 'stop' && reason === 'refusal'));
  if (blocks.length === 0 && !explained) report('nothing came of it, and no event says why');
  await compareWithOracle(recording, blocks, report);
}

async function compareWithOracle(recording, blocks, report) {
  // A stream of JSON in one array, which the official client never asks for.
  if (recording.meta.response_format === 'json-array') return;
  let theirs;
  try {
    theirs = await ORACLES[recording.protocol](recording, server.url);
  } catch (error) {
    // What the official client cannot read has no oracle: a broken stream, a blocked prompt.
    console.log(`No oracle: ${recording.meta.id} (${error.message.slice(0, 80)})`);
    counts.unread += 1;
    return;
  }
  const chat = recording.protocol === 'openai-chat';
  // The chat client does not know reasoning, and treats tags and lists as text.
  const hidden = chat && /<think>|"type": ?"thinking"/.test(recording.response);
  if (hidden) return;
  const options = { ignoreThinking: chat, ignoreIds: recording.protocol === 'gemini' };
  for (const difference of differences(blocks, theirs, options)) report(difference);
}

function checkRequest({ meta, protocol, request }, deployment, report) {
  if (request === null || meta.id in EXEMPT) return;
  const rejections = protocolById(protocol)
    .check(request, deployment.modelInfo(meta.model), deployment)
    .filter(({ kind }) => kind === 'rejection')
    // The publisher of the recording replaced the ids.
    .filter(({ path }) => meta.fidelity !== 'sanitised-by-source' || !path.endsWith('id'));
  if (meta.status === 200) {
    counts.requests += 1;
    for (const { rule, path, message } of rejections) report(`was accepted, but breaks ${rule} at ${path}: ${message}`);
  } else if (FORESEEABLE.test(meta.error?.category ?? '')) {
    counts.rejections += 1;
    if (rejections.length === 0) report(`was rejected, but breaks no rule: ${meta.error.message}`);
  }
}

function parsed(data) {
  try {
    return [JSON.parse(data)];
  } catch {
    return [];
  }
}
