// Takes the README's screenshots from the running program: `npm run pictures`.
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { startRunningProgram } from './running-program.mjs';

const OUT = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const MAX_BYTES = 200_000;
const SIZE = { width: 1280, height: 800 };

const { module: browsers } = await runnerImport(fileURLToPath(new URL('../src/testing/browser.ts', import.meta.url)));
await mkdir(OUT, { recursive: true });
const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '15' });
const browser = await browsers.launchBrowser();
try {
  const projectId = await tellStory(program);
  const at = (branch) => `${program.url}/p/${projectId}/b/${encodeURIComponent(branch)}`;
  await picture(
    'conversation-light',
    at('main'),
    { theme: 'light', panel: 'graph', reasoningOpen: false },
    openReasoning,
  );
  await picture(
    'conversation-dark',
    at('main'),
    { theme: 'dark', panel: 'graph', reasoningOpen: false },
    openReasoning,
  );
  await picture('graph-and-context', at('shorter'), { theme: 'light', panel: 'context', panelWidth: 430 });
} finally {
  await browser.close();
  await program.stop();
}

/** A small project with forks, reasoning, a tool and a change of model. */
async function tellStory({ call, say }) {
  const { project } = await call('POST', '/projects', {
    name: 'How trees decide',
    provider: 'simulated',
    model: 'sim-interleaved',
    thinking: 'medium',
    tools: ['calculator'],
  });
  const at = `/projects/${project.id}`;
  const tipOf = async (name) => (await call('GET', `${at}/branches`)).branches.find((each) => each.name === name).tipId;
  await say(project.id, 'main', 'Why do trees branch where they do?');
  const fork = await tipOf('main');
  await say(project.id, 'main', 'What would a model of it need to know?');
  await call('POST', `${at}/branches`, { name: 'shorter', fromRef: 'main', fromNodeId: fork, model: 'sim-redacted' });
  await say(project.id, 'shorter', 'Say it in two sentences.');
  await say(project.id, 'shorter', 'And what is still unknown?');
  await call('POST', `${at}/branches`, { name: 'for children', fromRef: 'shorter' });
  await say(project.id, 'for children', 'Explain it to a child of six.');
  return project.id;
}

async function openReasoning(page) {
  await page.locator('.reasoning-toggle').last().click();
}

async function picture(name, url, preferences, prepare = async () => undefined) {
  const context = await browser.newContext({ viewport: SIZE, reducedMotion: 'reduce', locale: 'en-GB' });
  await context.addInitScript(
    (stored) => localStorage.setItem('bough.preferences', stored),
    JSON.stringify(preferences),
  );
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.reply-footer').last().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch((error) => {
    // Watching a project never ends, so the network is never idle: only the wait itself counts.
    if (error.name !== 'TimeoutError') throw error;
  });
  await prepare(page);
  const path = join(OUT, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = await stat(path);
  console.log(`docs/pictures/${name}.png  ${Math.round(size / 1000)} kB`);
  if (size > MAX_BYTES) throw new Error(`${name}.png has more than ${MAX_BYTES} bytes.`);
  await context.close();
}
