import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'bough.mjs');
const KEY = 'sk-own-key-0123456789';

/**
 * Stands for a client: it asks the address that it was given with the headers that the real one would send, writes down
 * what it was given, and ends with a code of its own.
 */
const CLIENT = `#!/usr/bin/env node
import { writeFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
const { env, argv } = process;
const name = basename(argv[1]);
const flag = (key) => argv.map((word) => word.startsWith(key + '=') ? word.slice(key.length + 1) : null).find(Boolean);
const json = (text) => (text === undefined || text === null ? undefined : JSON.parse(text));
const custom = (text, between) => Object.fromEntries((text ?? '').split(between).filter(Boolean).map((line) => line.split(/:\\s*/)));
const body = { claude: '{"model":"sim-plain","max_tokens":100,"messages":[{"role":"user","content":"Hi"}]}',
  codex: '{"model":"sim-plain","input":"Hi"}', gemini: '{"contents":[{"parts":[{"text":"Hi"}]}]}' };
body.opencode = body.claude;
const asks = {
  claude: () => [env.ANTHROPIC_BASE_URL + '/v1/messages', { ...(env.ANTHROPIC_API_KEY ? { 'x-api-key': env.ANTHROPIC_API_KEY } : {}),
    ...(env.ANTHROPIC_AUTH_TOKEN ? { authorization: 'Bearer ' + env.ANTHROPIC_AUTH_TOKEN } : {}), ...custom(env.ANTHROPIC_CUSTOM_HEADERS, '\\n') }],
  codex: () => [json(flag('model_providers.bough.base_url')) + '/responses', { authorization: 'Bearer ' + env[json(flag('model_providers.bough.env_key'))],
    ...(flag('model_providers.bough.env_http_headers') ? { 'x-bough-token': env.BOUGH_GATEWAY_TOKEN } : {}) }],
  gemini: () => [env.GOOGLE_GEMINI_BASE_URL + '/v1beta/models/sim-plain:generateContent', { 'x-goog-api-key': env.GEMINI_API_KEY, ...custom(env.GEMINI_CLI_CUSTOM_HEADERS, ',') }],
  opencode: () => { const { options } = JSON.parse(env.OPENCODE_CONFIG_CONTENT).provider.anthropic;
    return [options.baseURL + '/messages', { 'x-api-key': options.apiKey ?? env.ANTHROPIC_API_KEY, ...options.headers }]; },
};
const [url, headers] = asks[name]();
const response = await fetch(url, { method: 'POST', body: body[name], headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'user-agent': name + '-test/1.0', ...headers } });
if (env.KEEP) writeFileSync(env.GEMINI_CLI_HOME + '/.gemini/tmp/' + env.KEEP, 'a session');
const settings = env.GEMINI_CLI_HOME ? env.GEMINI_CLI_HOME + '/.gemini/settings.json' : null;
writeFileSync(env.OUT, JSON.stringify({ status: response.status, text: await response.text(), url, headers, words: argv.slice(2),
  settings: settings ? { path: settings, text: readFileSync(settings, 'utf8') } : null }));
process.exit(7);
`;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly settings: { readonly path: string; readonly text: string } | null;
}

async function placeWith(
  env: Readonly<Record<string, string>> = {},
): Promise<Place & { readonly seen: () => Promise<Seen> }> {
  const place = await makePlace({ PATH: process.env['PATH'] ?? '', ...env });
  onTestFinished(place.dispose);
  const bin = join(place.dir, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'package.json'), '{"type":"module"}');
  for (const name of ['claude', 'codex', 'gemini', 'opencode'])
    await writeFile(join(bin, name), CLIENT, { mode: 0o755 });
  return { ...place, seen: async () => JSON.parse(await readFile(join(place.dir, 'out.json'), 'utf8')) as Seen };
}

/** The same place, with a file for what the client says. */
const outOf = (dir: string): string => join(dir, 'out.json');

const SIMULATED: Readonly<Record<string, string>> = {
  claude: 'simulated',
  codex: 'simulated_responses',
  gemini: 'simulated_gemini',
  opencode: 'simulated',
};
const NAMES = Object.keys(SIMULATED);

describe('bough run', () => {
  it.each(NAMES)('CLI-71: %s talks through a Bough that is started for it, and its exit code is kept', async (name) => {
    const made = await makePlace();
    onTestFinished(made.dispose);
    const place = await placeWith({ OUT: outOf(made.dir) });
    const words = [
      'run',
      '--provider',
      SIMULATED[name] ?? '',
      '--',
      join(place.dir, 'bin', name),
      '-p',
      'two words',
      '--json',
    ];
    const { code, err } = await place.bough(words);
    expect([code, err]).toEqual([7, '']);
    const seen = JSON.parse(await readFile(outOf(made.dir), 'utf8')) as Seen;
    expect([seen.status, seen.text.length > 20], seen.text).toEqual([200, true]);
    expect(seen.url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/gateway/${SIMULATED[name]}/`));
    // The server of this run asks for a token that only the client has.
    expect(seen.headers['x-bough-token']).toMatch(/^[\w-]{30,}$/);
    expect(seen.words.slice(-3)).toEqual(['-p', 'two words', '--json']);
    if (seen.settings !== null) expect(existsSync(seen.settings.path)).toBe(false);
    // Nothing is left: the next command opens the store.
    expect((await place.bough(['ls'])).code).toBe(0);
  });

  it('CLI-72: it uses the Bough that runs, which goes on afterwards', async () => {
    const place = await placeWith();
    const server = await place.serve();
    onTestFinished(async () => void (await server.stop()));
    const withOut = { ...place.env, OUT: outOf(place.dir) };
    const again = await placeWith({ ...withOut, BOUGH_URL: server.url });
    const { code } = await again.bough(['run', '--provider', 'simulated', '--', join(again.dir, 'bin', 'claude')]);
    expect(code).toBe(7);
    const seen = await place.seen();
    expect([seen.status, seen.url]).toEqual([200, `${server.url}/gateway/simulated/v1/messages`]);
    const { out } = await again.bough(['gateway', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      isRunning: true,
      url: server.url,
      gateway: { clients: [{ client: 'claude-test', requests: 1, providers: ['simulated'] }] },
    });
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], Readonly<Record<string, string | undefined>>]>([
    ['none: the word for none', {}, [], { authorization: 'Bearer bough', 'x-api-key': undefined }],
    ['one of its own: that', { ANTHROPIC_API_KEY: KEY }, [], { 'x-api-key': KEY, authorization: undefined }],
    [
      'one of its own, and Bough’s is wanted',
      { ANTHROPIC_API_KEY: KEY },
      ['--key', 'bough'],
      { 'x-api-key': undefined, authorization: 'Bearer bough' },
    ],
  ])('CLI-73: a client with %s', async (_, env, words, expected) => {
    const made = await makePlace();
    onTestFinished(made.dispose);
    const place = await placeWith({ OUT: outOf(made.dir), ...env });
    await place.bough(['run', '--provider', 'simulated', ...words, '--', join(place.dir, 'bin', 'claude')]);
    const seen = JSON.parse(await readFile(outOf(made.dir), 'utf8')) as Seen;
    for (const [name, value] of Object.entries(expected)) expect(seen.headers[name], name).toBe(value);
  });

  it('CLI-73: a login of the client’s own is not replaced, and no file of the person’s is touched', async () => {
    const made = await makePlace();
    onTestFinished(made.dispose);
    const place = await placeWith({ OUT: outOf(made.dir) });
    const home = join(place.dir, '.claude');
    await mkdir(home);
    await writeFile(join(home, '.credentials.json'), '{}');
    const before = await readdir(place.dir, { recursive: true });
    await place.bough(['run', '--provider', 'simulated', '--', join(place.dir, 'bin', 'claude')]);
    const seen = JSON.parse(await readFile(outOf(made.dir), 'utf8')) as Seen;
    expect([seen.headers['authorization'], seen.headers['x-api-key'], seen.status]).toEqual([
      undefined,
      undefined,
      200,
    ]);
    const after = await readdir(place.dir, { recursive: true });
    expect(after.filter((name) => !before.includes(name) && !/^data(\/|$)/.test(name))).toEqual([]);
  });

  const none = { authorization: undefined, 'x-api-key': undefined };
  it.each<[string, string, Readonly<Record<string, string>>, Readonly<Record<string, string | undefined>>]>([
    ['Claude Code, logged in on macOS', 'claude', { '.claude.json': '{"oauthAccount":{"accountUuid":"a"}}' }, none],
    ['Claude Code, with a helper', 'claude', { '.claude/settings.json': '{"apiKeyHelper":"pass key"}' }, none],
    ['Claude Code, logged out', 'claude', { '.claude.json': '{"numStartups":3}' }, { authorization: 'Bearer bough' }],
    ['Codex', 'codex', { '.codex/auth.json': `{"OPENAI_API_KEY":"${KEY}"}` }, { authorization: `Bearer ${KEY}` }],
    [
      'Codex, with an account',
      'codex',
      { '.codex/auth.json': '{"OPENAI_API_KEY":null}' },
      { authorization: 'Bearer bough' },
    ],
    ['Gemini CLI', 'gemini', { '.gemini/.env': `# mine\nGEMINI_API_KEY="${KEY}" # it\n` }, { 'x-goog-api-key': KEY }],
    [
      'Gemini CLI, beside a folder',
      'gemini',
      { '.gemini/.env/x': '', '.env': `GEMINI_API_KEY=${KEY}` },
      { 'x-goog-api-key': KEY },
    ],
    ['Gemini CLI, without one', 'gemini', { '.env': 'OTHER=1' }, { 'x-goog-api-key': 'bough' }],
  ])('CLI-73: what a client was told before counts: %s', async (_, name, files, expected) => {
    const made = await makePlace();
    onTestFinished(made.dispose);
    // As on Windows, where this variable names the home.
    const place = await placeWith({ OUT: outOf(made.dir), HOME: '', USERPROFILE: made.dir });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(made.dir, path)), { recursive: true });
      await writeFile(join(made.dir, path), text);
    }
    await place.bough(['run', '--provider', SIMULATED[name] ?? '', '--', join(place.dir, 'bin', name)]);
    const seen = JSON.parse(await readFile(outOf(made.dir), 'utf8')) as Seen;
    for (const [header, value] of Object.entries(expected)) expect(seen.headers[header], header).toBe(value);
  });

  it('CLI-73: Gemini CLI gets its own home by links, with the one setting that it needs, and keeps it as it was', async () => {
    const made = await makePlace();
    onTestFinished(made.dispose);
    const place = await placeWith({ OUT: outOf(made.dir) });
    const own = join(place.dir, '.gemini');
    await mkdir(join(own, 'history'), { recursive: true });
    const settings = '{"ui":{"theme":"x"},"security":{"auth":{"selectedType":"oauth-personal"}}}';
    await writeFile(join(own, 'settings.json'), settings);
    await writeFile(join(own, 'history', 'kept.txt'), 'kept');
    const words = ['run', '--provider', 'simulated_gemini', '--', join(place.dir, 'bin', 'gemini')];
    expect((await place.bough(words)).code).toBe(7);
    const seen = JSON.parse(await readFile(outOf(made.dir), 'utf8')) as Seen;
    expect(JSON.parse(seen.settings?.text ?? '')).toEqual({
      ui: { theme: 'x' },
      security: { auth: { selectedType: 'gemini-api-key' } },
    });
    expect(existsSync(seen.settings?.path ?? '')).toBe(false);
    expect(await readFile(join(own, 'settings.json'), 'utf8')).toBe(settings);
    expect(await readFile(join(own, 'history', 'kept.txt'), 'utf8')).toBe('kept');
  });

  it('CLI-73: what Gemini CLI keeps of its first session is there for the next one', async () => {
    const made = await makePlace();
    onTestFinished(made.dispose);
    const place = await placeWith({ OUT: outOf(made.dir), KEEP: 'session.json' });
    const words = ['run', '--provider', 'simulated_gemini', '--', join(place.dir, 'bin', 'gemini')];
    expect((await place.bough(words)).code).toBe(7);
    expect(await readFile(join(place.dir, '.gemini', 'tmp', 'session.json'), 'utf8')).toBe('a session');
  });

  it('CLI-71: what cannot be run is said', async () => {
    const place = await placeWith();
    const missing = await place.bough(['run', '--', 'no-such-client']);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('There is no program "no-such-client"')]);
    const unknown = await place.bough(['run', '--provider', 'nobody', '--', 'claude']);
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no provider "nobody"')]);
    const foreign = await place.bough(['run', '--provider', 'simulated_gemini', '--', 'claude']);
    expect([foreign.code, foreign.err]).toEqual([2, expect.stringContaining('Claude Code speaks anthropic-messages')]);
    expect(foreign.err).toMatch(/Providers for it: .*\bsimulated\b/);
    expect(foreign.err).not.toContain('simulated_responses');
    expect((await place.bough(['run'])).code).toBe(2);
  });

  it('CLI-74: signals go to the client; Bough ends after it, with its code', async () => {
    const place = await placeWith();
    const script = join(place.dir, 'bin', 'slow.mjs');
    await writeFile(
      script,
      `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready');`,
    );
    const child = spawn(process.execPath, [PROGRAM, 'run', '--', process.execPath, script], {
      cwd: place.dir,
      env: place.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(9);
    const killed = spawn(process.execPath, [PROGRAM, 'run', '--', 'sh', '-c', 'kill -9 $$'], {
      cwd: place.dir,
      env: place.env,
      stdio: 'ignore',
    });
    expect((await once(killed, 'close'))[0]).toBe(137);
  });
});

describe('bough gateway', () => {
  it('CLI-75: it prints what to paste for each client, also where nothing runs', async () => {
    const place = await placeWith();
    const { code, out } = await place.bough(['gateway']);
    expect(code).toBe(0);
    expect(out).toContain('No Bough is running');
    for (const line of [
      'bough run -- claude',
      'ANTHROPIC_BASE_URL=http://127.0.0.1:4870/gateway/anthropic',
      'base_url = "http://127.0.0.1:4870/gateway/openai_responses/v1"',
      'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4870/gateway/gemini',
      '"baseURL": "http://127.0.0.1:4870/gateway/anthropic/v1"',
    ])
      expect(out).toContain(line);
    expect(out).not.toContain('x-bough-token');
  });

  it('CLI-75: it tells whether a client is connected, and how to send the token if one is needed', async () => {
    const place = await placeWith({ BOUGH_TOKEN: 'a-token-for-this-test' });
    const server = await place.serve();
    onTestFinished(async () => void (await server.stop()));
    const before = await place.bough(['gateway']);
    expect(before.out).toMatch(/Claude Code {2}not seen yet/);
    expect(before.out).toContain('x-bough-token: $BOUGH_TOKEN');
    expect(before.out).not.toContain('a-token-for-this-test');
    await fetch(`${server.url}/gateway/simulated/v1/models`, {
      headers: { 'x-api-key': 'a-token-for-this-test', 'user-agent': 'claude-cli/2.1.325 (external)' },
    });
    const after = await place.bough(['gateway']);
    expect(after.out).toMatch(/Claude Code {2}connected: 2\.1\.325, 1 request, last at /);
    expect(after.out).not.toContain('Newest sessions');
    const said = await fetch(`${server.url}/gateway/simulated/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': 'a-token-for-this-test',
        'user-agent': 'claude-cli/2.1.325 (external)',
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({
        model: 'sim-plain',
        max_tokens: 99,
        messages: [{ role: 'user', content: 'What is new?' }],
      }),
    });
    expect([said.status, await said.json()]).toMatchObject([200, { type: 'message' }]);
    expect((await place.bough(['gateway'])).out).toMatch(/What is new\? +claude-code\/2\.1\.325 +sim-plain +1 +0 /);
  });
});
