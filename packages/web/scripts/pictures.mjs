// Takes the pictures of README.md and docs/page.md from the running program: `npm run pictures`. What its model says is
// written below: a server of one's own, as anybody may add one, answers with it.
import { createServer } from 'node:http';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { startRunningProgram } from './running-program.mjs';

const OUT = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const MAX_BYTES = 200_000;
const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const LIGHT = 'How much light must a leaf get to pay for itself?';
const SAID = [
  {
    to: 'Why do trees branch where they do?',
    thought: 'Two things decide: where buds are, and which of them grow. Most never do.',
    text: 'A bud sits above every leaf, so a twig has far more places to branch than it uses. The tip of the shoot sends **auxin** down the stem and keeps the buds below it asleep; a bud that gets light, and is far from the tip, wakes up.',
  },
  {
    to: LIGHT,
    thought:
      'Costs first: a leaf breathes all day and works only while there is light. Ten hours of light against twenty-four of breathing, at 0.5 µmol a second.',
    call: '0.5 * 24 / 10',
    after: 'So 1.2 µmol a second in the light. At 0.05 for each µmol that falls on it: 24.',
    text: 'About **24 µmol** a second on each square metre, little more than 1 % of full sun. Below that it costs the tree more than it brings:\n\n$$\n\\underbrace{0.5 \\cdot 24\\,\\mathrm{h}}_{\\text{breathing, all day}} = \\underbrace{0.05 \\cdot 24 \\cdot 10\\,\\mathrm{h}}_{\\text{gain, in the light}}\n$$\n\n| where the leaf is | light | what the tree does |\n|---|--:|---|\n| top of the crown | 1,500 | makes more buds |\n| inside the crown | 60 | keeps it |\n| lowest branches | 20 | lets the branch die |',
  },
  {
    to: 'Say it in two sentences.',
    thought: 'Buds, auxin, light: in this order.',
    text: 'Every leaf has a bud, and the growing tip keeps nearly all of them asleep. Those that get light, far from the tip, become branches.',
  },
  {
    to: 'Explain it to a child of six.',
    thought: 'No auxin. A game with a captain, perhaps.',
    text: 'A tree has thousands of sleepy buds and one captain at the very top, who calls “Not yet!” The buds that hear it least and see the sun most wake up, and each becomes a branch.',
  },
  {
    to: 'And what is still unknown?',
    thought: 'Sugar: the newer idea, and not settled.',
    text: 'How much of it is auxin at all. Cut off the tip, and buds wake up before the auxin is gone: what reaches them first is sugar.',
  },
];

const { module: browsers } = await runnerImport(fileURLToPath(new URL('../src/testing/browser.ts', import.meta.url)));
await mkdir(OUT, { recursive: true });
const model = await startModel();
const program = await startRunningProgram(
  {},
  {
    providers: {
      lab: {
        label: 'Our lab',
        protocol: 'openai-chat',
        baseUrl: model.url,
        models: ['oak-large', 'birch-mini'],
        quirks: { reasoning: 'reasoning_content', thinking: 'reasoning_effort' },
      },
    },
  },
);
const browser = await browsers.launchBrowser();
try {
  const projectId = await tellStory(program);
  const at = (branch) => `${program.url}/p/${projectId}/b/${encodeURIComponent(branch)}`;
  const graph = { panel: 'graph', panelWidth: 350 };
  await picture('conversation-light', at('main'), { theme: 'light', ...graph }, openReasoning);
  await picture('conversation-dark', at('main'), { theme: 'dark', ...graph }, openReasoning);
  await picture('context', at('in short'), { theme: 'light', panel: 'context', panelWidth: 430 });
  await picture(
    'phone',
    at('for children'),
    { theme: 'light', panelOpen: false, sidebarOpen: false },
    undefined,
    PHONE,
  );
} finally {
  await browser.close();
  await program.stop();
  await model.stop();
}

/** A small project with forks, reasoning, a tool, two models, and a branch that was brought into another one. */
async function tellStory({ call, say }) {
  const { project } = await call('POST', '/projects', {
    name: 'How trees decide',
    provider: 'lab',
    model: 'oak-large',
    thinking: 'medium',
    tools: ['calculator'],
  });
  const at = `/projects/${project.id}`;
  const fork = (name, fromRef, more) => call('POST', `${at}/branches`, { name, fromRef, ...more });
  await say(project.id, 'main', SAID[0].to);
  await fork('in short', 'main', { model: 'birch-mini' });
  await fork('open questions', 'main');
  await say(project.id, 'in short', 'Say it in two sentences.');
  await fork('for children', 'in short');
  await say(project.id, 'for children', 'Explain it to a child of six.');
  await say(project.id, 'open questions', 'And what is still unknown?');
  await call('POST', `${at}/merge`, { from: 'open questions', into: 'main', by: 'answer' });
  await say(project.id, 'main', LIGHT);
  return project.id;
}

/** A model that says what is written above, as the server of an OpenAI-compatible provider. */
async function startModel() {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function answer(request, response) {
  const body = await text(request);
  const { messages = [], model: name } = body === '' ? {} : JSON.parse(body);
  const said = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const wanted = SAID.find(({ to }) => said.includes(to)) ?? SAID[0];
  const hasResult = messages.at(-1)?.role === 'tool';
  const asks = wanted.call !== undefined && !hasResult;
  const call = { name: 'calculator', arguments: JSON.stringify({ expression: wanted.call }) };
  const thought = hasResult ? wanted.after : wanted.thought;
  const half = thought.indexOf(' ', thought.length / 2);
  const deltas = [
    { role: 'assistant', reasoning_content: thought.slice(0, half) },
    { reasoning_content: thought.slice(half) },
    asks ? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] } : { content: wanted.text },
  ];
  const chunk = (more) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: name, ...more })}\n\n`;
  const usage = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 160 };
  response.setHeader('content-type', 'text/event-stream');
  for (const delta of deltas) {
    // Thinking takes its time, and the page tells how long.
    await new Promise((resolve) => setTimeout(resolve, 700));
    response.write(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  }
  const end = { index: 0, delta: {}, finish_reason: asks ? 'tool_calls' : 'stop' };
  response.end(`${chunk({ choices: [end] })}${chunk({ choices: [], usage })}data: [DONE]\n\n`);
}

async function openReasoning(page) {
  await page.locator('.reasoning-toggle').last().click();
  await page.getByText('Goes back to').last().waitFor();
  await page.mouse.move(640, 20);
  await page.locator('.conversation').evaluate((element) => element.scrollTo(0, element.scrollHeight));
}

async function picture(name, url, preferences, prepare = async () => undefined, device = WIDE) {
  const context = await browser.newContext({ ...device, reducedMotion: 'reduce', locale: 'en-GB' });
  await context.addInitScript(
    (stored) => localStorage.setItem('bough.preferences', stored),
    JSON.stringify({ language: 'en', reasoningOpen: false, ...preferences }),
  );
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.reply-footer').last().waitFor();
  await page.waitForFunction(() => document.querySelector('.prose .plain') === null);
  await prepare(page);
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch((error) => {
    // Watching a project never ends, so the network is never idle: only the wait itself counts.
    if (error.name !== 'TimeoutError') throw error;
  });
  const path = join(OUT, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = await stat(path);
  console.log(`docs/pictures/${name}.png  ${Math.round(size / 1000)} kB`);
  if (size > MAX_BYTES) throw new Error(`${name}.png has more than ${MAX_BYTES} bytes.`);
  await context.close();
}
