// The whole engine inside a program: a store in a directory, a provider, a conversation that forks.
// Run it in the repository's root, after `npm ci && npm run build`: node examples/engine.mjs
import { createEngine, createToolBox, DEFAULT_LIMITS, randomIds } from '@bough/engine';
import { createProvider, simulatedDeployments } from '@bough/providers';
import { startSimulator } from '@bough/simulator';
import { openFilesStore } from '@bough/store';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directory = await mkdtemp(join(tmpdir(), 'bough-example-'));
const simulator = await startSimulator();
const store = await openFilesStore({ directory: join(directory, 'files') });

// With `createDeployments({ env: process.env })` instead, these would be the real providers with their keys.
const providers = simulatedDeployments(simulator.url).map((deployment) => createProvider(deployment, { key: null }));
const engine = createEngine({
  store,
  providers: {
    get: (id) => {
      const found = providers.find(({ deployment }) => deployment.id === id);
      // Never another one: a tree must not contain replies of a model that nobody chose.
      if (found === undefined) throw new Error(`There is no provider ${id}.`);
      return found;
    },
    list: () => providers,
    defaults: () => ({ provider: 'simulated', model: 'sim-thinker' }),
  },
  tools: createToolBox({ approval: { '*': 'auto' } }),
  ids: randomIds,
  now: () => new Date(),
  owner: 'example',
  limits: DEFAULT_LIMITS,
  observe: (event) => {
    if (event.type === 'problem') console.error(event.what, event.message);
  },
});

/** Sends a message and returns what the model says. Every line is durable before it arrives here. */
async function say(project, ref, message) {
  const { turn } = await engine.chat(project.id, { ref, message });
  let text = '';
  for await (const lines of engine.watch(project.id, turn.id, 0, AbortSignal.timeout(60_000)))
    for (const line of lines) if (line.type === 'text') text += line.content;
  console.log(`${ref}: ${text.split('\n')[0]}`);
}

try {
  await engine.start();
  const { project } = await engine.createProject({ name: 'Sky colours', tools: ['calculator'], thinking: 'medium' });
  await say(project, 'main', 'Why is the sky blue?');

  // A branch is locked to its model: what another model would be sent of the history can be seen before anything is
  // sent.
  await engine.createBranch(project.id, {
    name: 'sunset',
    fromRef: 'main',
    provider: 'simulated_gemini',
    model: 'sim-summary',
  });
  const { report } = await engine.previewContext(project.id, { ref: 'sunset', message: 'And at sunset?' });
  console.log(`sunset is told: ${report.map(({ fidelity }) => fidelity).join(', ')}`);
  await say(project, 'sunset', 'And at sunset?');
  await say(project, 'main', 'And on Mars?');
} finally {
  await engine.stop(0);
  await store.close();
  await simulator.close();
  await rm(directory, { recursive: true, force: true });
}
