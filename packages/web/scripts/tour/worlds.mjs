// The programs that the tour visits, each started when a step first needs it.
import { fileURLToPath } from 'node:url';
import { startRunningProgram } from '../running-program.mjs';
import { letClientsTalk } from './clients.mjs';
import { putInOrder, tellStory } from './story.mjs';

export const TOKEN = 'a-token-for-the-tour-alone';
const ASKING = { tools: { approval: { calculator: 'ask' } } };

const GARDEN = fileURLToPath(new URL('../mcp-server.mjs', import.meta.url));
const toolProgram = (more = {}) => ({ command: process.execPath, args: [GARDEN], ...more });
/** Where nobody listens. */
const NOWHERE = 'http://127.0.0.1:4879';
const CONFIGURED = {
  providers: { shed: { label: 'The shed’s own server', baseUrl: `${NOWHERE}/v1`, models: ['m'] } },
  mcpServers: { greenhouse: toolProgram({ env: { TOKEN: 'unseen' } }) },
  tools: { approval: { 'greenhouse.water': 'auto', calculator: 'ask' } },
};

const WORLDS = {
  /** Nothing has been written yet. */
  empty: async () => ({ program: await startRunningProgram() }),
  /** Projects, branches and messages of every kind. */
  story: async () => {
    const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' }, ASKING);
    return { program, story: await tellStory(program) };
  },
  /** Projects that were put in order, and something that waits for an answer. */
  filed: async () => {
    const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' }, ASKING);
    return { program, filed: await putInOrder(program) };
  },
  /** One that other clients talk through. */
  gateway: async () => {
    const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' });
    return { program, gateway: await letClientsTalk(program) };
  },
  /** One where a key was entered. No message is sent there: it would leave the machine. */
  keyed: async () => {
    const program = await startRunningProgram();
    await program.call('PUT', '/providers/anthropic/key', { key: 'sk-not-a-real-key-0000' });
    return { program };
  },
  /** One with entries of the configuration file and of the settings page, good ones and bad ones. */
  configured: async () => {
    const running = await startRunningProgram(
      { OPENAI_API_KEY: 'sk-not-a-real-key-0000', OPENAI_BASE_URL: NOWHERE },
      CONFIGURED,
    );
    const { providers } = await running.call('GET', '/providers');
    const { baseUrl } = providers.find(({ id }) => id === 'simulated_chat');
    await running.call('PUT', '/deployments/lab', { label: 'Our lab', baseUrl, models: ['sim-plain'] });
    await running.call('PUT', '/mcp-servers/garden', toolProgram());
    await running.call('PUT', '/mcp-servers/gone', { command: 'a-program-that-nobody-has', args: ['--with', 'this'] });
    await running.call('PUT', '/mcp-servers/asleep', { url: `${NOWHERE}/mcp`, disabled: true });
    return { program: running };
  },
  /** One with budgets that were used: a little, nearly, and wholly. */
  spent: async () => {
    const program = await startRunningProgram(
      { BOUGH_SIMULATOR_PACE_MS: '0' },
      { budgets: { 'For all of us': { usd: 250, per: 'month' } } },
    );
    const { project } = await program.call('POST', '/projects', { name: 'A garden in the north' });
    const send = (model, message) =>
      fetch(`${program.url}/gateway/simulated/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'user-agent': 'codex/1.0' },
        body: JSON.stringify({ model, max_tokens: 500, messages: [{ role: 'user', content: message }] }),
      }).then((response) => response.text());
    await send('sim-plain', 'What grows in the shade?');
    await send('a-model-of-next-year', 'What grows in the sun?');
    await program.say(project.id, 'main', 'Which trees stand the frost?');
    await program.call('PUT', '/budgets/Every%20day', { tokens: 1_000, warnAt: 0.1 });
    await program.call('PUT', '/budgets/Each%20client', { client: '*', tokens: 500, per: 'total', warnAt: 0.3 });
    await program.call('PUT', '/budgets/This%20garden', { project: project.id, tokens: 50 });
    return { program, project };
  },
  /** One whose models have prices and caches: the simulator of another program in the place of a provider. */
  paid: async () => {
    const simulating = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' });
    const { providers } = await simulating.call('GET', '/providers');
    const { baseUrl } = providers.find(({ id }) => id === 'simulated');
    const program = await startRunningProgram({
      BOUGH_SIMULATOR_PACE_MS: '0',
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: 'sk-not-a-real-key-0000',
    });
    const stop = async () => {
      await program.stop();
      await simulating.stop();
    };
    return { program: { ...program, stop }, ...(await spend(program)) };
  },
  /** The same, locked by its operator. */
  locked: async () => ({ program: await startRunningProgram({ BOUGH_PAGE_SETTINGS: 'locked' }, CONFIGURED) }),
  /** A server that asks for its token. */
  guarded: async () => ({ program: await startRunningProgram({ BOUGH_TOKEN: TOKEN }) }),
};

/** Messages that are read from a cache, one whose cache was missed, and some whose price nobody knows. */
async function spend(program) {
  const systemPrompt = 'You know all that was ever written about trees. '.repeat(500);
  const asked = { provider: 'anthropic', model: 'claude-sonnet-5', systemPrompt };
  const start = async (name, more) => (await program.call('POST', '/projects', { name, ...more })).project.id;
  const paid = await start('An avenue of limes', asked);
  for (const message of ['Which trees suit an avenue?', 'And how far apart?'])
    await program.say(paid, 'main', `${message} /sim say Limes, eight metres apart.`);
  await program.call('PATCH', `/projects/${paid}/branches/main`, { thinking: 'high' });
  await program.say(paid, 'main', 'Think about it again.');
  const { groups } = await program.call('GET', `/projects/${paid}/history?ref=main`);
  await program.say(paid, 'main', 'And who waters them?');
  await program.call('POST', `/projects/${paid}/branches`, {
    name: 'cheaper',
    fromRef: 'main',
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
  });
  await program.say(paid, 'cheaper', 'In short, please.');
  const unpriced = await start('Without prices', { provider: 'anthropic', model: 'claude-fable-5-2' });
  await program.say(unpriced, 'main', 'What grows in the shade?');
  return { paid, unpriced, missed: groups.at(-1).reply.at(-1).id };
}

export function createWorlds() {
  const started = new Map();
  const own = [];
  return {
    visit: (name) => {
      if (!started.has(name)) started.set(name, WORLDS[name]());
      return started.get(name);
    },
    /** One that a step may stop by itself. */
    startOwn: async () => {
      const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' }, ASKING);
      let stopped = null;
      const stop = () => (stopped ??= program.stop());
      own.push(stop);
      return { ...program, stop };
    },
    end: async () => {
      const worlds = await Promise.allSettled(started.values());
      const running = worlds.flatMap(({ value }) => (value === undefined ? [] : [value.program.stop]));
      await Promise.all([...running, ...own].map((stop) => stop()));
    },
  };
}
