import { createClient, readLines, routes } from '@bough/api';
import type { Client } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { BUILT_IN_DEPLOYMENTS } from '@bough/providers';
import { readConfig } from '@bough/server';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestServer } from '../../packages/store/src/postgres/testing/server.ts';
import type { Service } from './compose.ts';
import { readCompose } from './compose.ts';
import { nginxMap } from './nginx-map.ts';
import { startProgram } from './process.ts';
import { ROOT } from './run-document.ts';

const run = promisify(execFile);
const SECRETS = { BOUGH_TOKEN: randomBytes(16).toString('hex'), POSTGRES_PASSWORD: randomBytes(16).toString('hex') };
const deployed = (name: string): Promise<string> => readFile(join(ROOT, 'deploy', name), 'utf8');

/** Every variable that Bough reads, recorded while it reads them. */
function knownVariables(): ReadonlySet<string> {
  const asked = new Set(BUILT_IN_DEPLOYMENTS.flatMap(({ keyEnv, baseUrlEnv }) => [...keyEnv, ...baseUrlEnv]));
  const env = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        asked.add(String(name));
        // Not the data directory of whoever runs the tests.
        return name === 'BOUGH_DATA_DIR' ? join(tmpdir(), 'no-such-directory') : undefined;
      },
    },
  );
  readConfig(env, tmpdir());
  return asked;
}

describe('deploy/', () => {
  it('names only variables that Bough reads', async () => {
    const services = await readCompose(SECRETS);
    const known = knownVariables();
    const unit = [...(await deployed('bough.service')).matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name ?? '');
    const image = [...(await deployed('Dockerfile')).matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
      [...line.matchAll(/(\w+)=/g)].map(([, name]) => name ?? ''),
    );
    const composed = ['bough-1', 'bough-2'].flatMap((name) => Object.keys(services.get(name)?.environment ?? {}));
    expect(composed.length).toBeGreaterThan(10);
    expect([...unit, ...image, ...composed].filter((name) => !known.has(name))).toEqual([]);
  });

  it('names only files and scripts that are there', async () => {
    const services = await readCompose(SECRETS);
    const mounted = [...services.values()].flatMap((each) => each.mounted);
    // The names of people and their passwords are created at deployment.
    expect(mounted.filter((path) => !existsSync(join(ROOT, 'deploy', path)))).toEqual(['./htpasswd']);
    const manifest = await readFile(join(ROOT, 'package.json'), 'utf8');
    const scripts = [...(await deployed('Dockerfile')).matchAll(/npm run (\S+)/g)].map(([, name]) => name ?? '');
    expect(scripts.filter((name) => !manifest.includes(`"${name}":`))).toEqual([]);
    expect(await readFile(join(ROOT, 'packages', 'cli', 'scripts', 'pack.mjs'), 'utf8')).toContain(`'dist', 'pack'`);
  });

  it('lets the proxy know the servers that there are, and the environment it is given', async () => {
    const services = await readCompose(SECRETS);
    const proxy = await deployed('nginx.conf.template');
    const upstream = [...proxy.matchAll(/^ {2}server (\S+):(\d+) /gm)].map(([, host, port]) => `${host}:${port}`);
    const servers = [...services].flatMap(([name, { environment }]) =>
      name.startsWith('bough-') ? [`${name}:${environment['PORT']}`] : [],
    );
    expect(upstream).toEqual(servers);
    const used = new Set([...proxy.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name));
    expect([...used]).toEqual(Object.keys(services.get('proxy')?.environment ?? {}));
  });

  it('lets nobody past the login of the proxy but with the token itself, and hands on what was checked', async () => {
    const token = SECRETS.BOUGH_TOKEN;
    const proxy = (await deployed('nginx.conf.template')).replaceAll('${BOUGH_TOKEN}', token);
    expect(proxy).toContain('auth_basic $bough_realm;');
    expect(proxy).toContain('proxy_set_header Authorization $bough_authorization;');
    const login = ['', 'Bearer x', 'bearer x', 'Bearer ', `Bearer ${token}x`, `Bearer  ${token}`, token, 'Basic YTpi'];
    for (const header of login) {
      expect(nginxMap(proxy, 'bough_realm', header), header).toBe('Bough');
      expect(nginxMap(proxy, 'bough_authorization', header), header).toBe(`Bearer ${token}`);
    }
    // nginx ignores case here: what it lets through is passed on unchanged, and Bough refuses it.
    for (const header of [`Bearer ${token}`, `Bearer ${token.toUpperCase()}`]) {
      expect(nginxMap(proxy, 'bough_realm', header)).toBe('off');
      expect(nginxMap(proxy, 'bough_authorization', header)).toBe('$http_authorization');
    }
    // Without it nginx refuses to start: a token is longer than the keys it expects.
    expect(Number(/^map_hash_bucket_size (\d+);$/m.exec(proxy)?.[1])).toBeGreaterThanOrEqual(512);
  });

  it('lets through what Bough itself takes: large files, and other clients with keys of their own', async () => {
    const proxy = await deployed('nginx.conf.template');
    const places = [...proxy.matchAll(/^ {2}location (\S+ )?(\S+) \{\n([^}]*)\}/gm)];
    const settingsOf = (path: string): string =>
      places.find(([, kind, place = '']) => (kind === '~ ' ? new RegExp(place).test(path) : place === path))?.[3] ?? '';
    expect(settingsOf('/')).toContain('auth_basic ');
    for (const { path } of [routes.importFile, routes.uploadBlob]) {
      expect(settingsOf(path), path).toContain('client_max_body_size 0;');
      expect(settingsOf(path), path).toContain('auth_basic ');
    }
    // A login of the proxy would take the place of the client's own key, which belongs to the provider.
    for (const path of ['/gateway', '/gateway/anthropic/v1/messages']) {
      expect(settingsOf(path), path).toContain('client_max_body_size 0;');
      expect(settingsOf(path), path).not.toMatch(/auth_basic|Authorization/);
    }
    expect(settingsOf('/gateways')).toBe('');
    // Bough counts the requests of each person by it.
    for (const [, , place, settings = ''] of places)
      if (settings.includes('proxy_pass')) expect(settings, place).toContain('X-Forwarded-For $remote_addr;');
  });

  it('refuses to start without its secrets', async () => {
    await expect(readCompose({ POSTGRES_PASSWORD: 'set' })).rejects.toThrow('BOUGH_TOKEN is not set');
    await expect(readCompose({ BOUGH_TOKEN: 'set' })).rejects.toThrow('POSTGRES_PASSWORD is not set');
  });

  it('works as it is composed: two servers on one database are one system', async () => {
    const services = await readCompose(SECRETS);
    const database = await startDatabase(services.get('postgres'));
    const first = await startService(services.get('bough-1'), database);
    const second = await startService(services.get('bough-2'), database);
    const { project } = await first.client.createProject({ name: 'Shared' });
    const response = await first.client.chat(project.id, { ref: 'main', message: '/sim slow 5 /sim long 2000' });
    const [turn] = await someLines(response, 1);
    if (turn?.type !== 'turn') throw new Error(`A stream began with ${JSON.stringify(turn)}.`);
    const seen = await someLines(await second.client.turnStream(project.id, turn.turnId, 0), Infinity);
    expect(seen.at(-1)).toMatchObject({ type: 'done', status: 'complete' });
    const { groups } = await second.client.history(project.id, { ref: 'main' });
    const said = seen.map((line) => (line.type === 'text' ? line.content : '')).join('');
    expect(groups.map(({ reply }) => reply.map(({ content }) => content))).toEqual([[said]]);
    await someLines(await second.client.chat(project.id, { ref: 'main', message: 'And now from here.' }), Infinity);
    expect((await first.client.history(project.id, { ref: 'main' })).groups).toHaveLength(2);
  });
});

/** A PostgreSQL with the role and the database that the image would create, except for its host name. */
async function startDatabase(service: Service | undefined): Promise<(url: string) => string> {
  const server = await startTestServer();
  onTestFinished(server.dispose);
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: name } = service?.environment ?? {};
  await server.query(`CREATE ROLE "${user}" LOGIN PASSWORD '${password}'`);
  await server.query(`CREATE DATABASE "${name}" OWNER "${user}"`);
  const { host = '', port = 0 } = server.connection();
  return (url) => {
    const translated = new URL(url);
    expect(translated.host).toBe('postgres:5432');
    expect([translated.username, translated.password, translated.pathname]).toEqual([user, password, `/${name}`]);
    translated.hostname = 'localhost';
    translated.port = '';
    translated.searchParams.set('host', host);
    translated.searchParams.set('port', String(port));
    return translated.href;
  };
}

/**
 * `bough serve` with the environment of a service: all of it, except for the port, the folder and the database's host.
 * Then its own health check.
 */
async function startService(
  service: Service | undefined,
  database: (url: string) => string,
): Promise<{ readonly client: Client }> {
  if (service === undefined) throw new Error('deploy/compose.yaml lacks a server.');
  const { environment, healthcheck } = service;
  const dataDir = await mkdtemp(join(tmpdir(), 'bough-deploy-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dataDir,
    ...environment,
    PORT: '0',
    BOUGH_DATA_DIR: dataDir,
    DATABASE_URL: database(environment['DATABASE_URL'] ?? ''),
  };
  const program = await startProgram(process.execPath, [join(ROOT, 'packages', 'cli', 'dist', 'main.js'), 'serve'], {
    cwd: dataDir,
    env,
  });
  // Registered later, run first: the program stops, then its folder is removed.
  onTestFinished(async () => {
    await program.stop();
  });
  const [command = '', ...words] = healthcheck;
  const { port } = new URL(program.url);
  const withPort = { ...env, PORT: port };
  await run(command === 'node' ? process.execPath : command, words, { env: withPort });
  await expect(
    run(process.execPath, words, { env: { ...withPort, BOUGH_TOKEN: 'another token, which is wrong' } }),
  ).rejects.toThrow('Command failed');
  return { client: createClient({ baseUrl: `http://127.0.0.1:${port}`, token: SECRETS.BOUGH_TOKEN }) };
}

async function someLines(response: Response, enough: number): Promise<readonly StreamLine[]> {
  const lines: StreamLine[] = [];
  if (response.body !== null)
    for await (const line of readLines(response.body)) {
      if (line.type !== 'heartbeat') lines.push(line);
      if (lines.length >= enough) break;
    }
  return lines;
}
