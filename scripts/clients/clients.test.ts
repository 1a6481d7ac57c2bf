import { createConfig, lintFromString } from '@redocly/openapi-core';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../../packages/server/src/testing/start.ts';
import { startTestServer } from '../../packages/server/src/testing/start.ts';
import { ROOT } from '../docs/run-document.ts';
import type { OpenApi } from './document.ts';
import { operationsOf } from './document.ts';
import { pythonClient } from './python.ts';
import { typescriptClient } from './typescript.ts';

const run = promisify(execFile);
let server: TestServer;
let source: string;
let directory: string;

beforeAll(async () => {
  server = await startTestServer();
  source = await (await fetch(`${server.url}/api/openapi.json`)).text();
  directory = await mkdtemp(join(tmpdir(), 'bough-clients-'));
});

afterAll(async () => {
  await server.dispose();
  await rm(directory, { recursive: true, force: true });
});

const document = (): OpenApi => JSON.parse(source) as OpenApi;

test('the OpenAPI document has no fault that a linter finds', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Every failure is described once, as the default answer: whatever its status, it has the same form.
      'operation-4xx-response': 'off',
    },
  });
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test('every operation has a name of its own', () => {
  const names = operationsOf(document()).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(80);
  expect(new Set(names).size).toBe(names.length);
});

test('every operation says what it gives, so that no client throws it away', () => {
  const answers = Object.entries(document().paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.entries(responses).map(([status, { content = {} }]) => ({ path, method, status, content })),
    ),
  );
  // 204 has nothing to give; 206 is a part of what 200 gives, which only a client that asks for it gets.
  const silent = answers.filter(({ status, content }) => /^20[0-3]$/.test(status) && Object.keys(content).length === 0);
  expect(silent).toEqual([]);
});

test('a TypeScript client that is generated from it compiles under strict rules, and talks to the server', async () => {
  const program = `
    import { send } from './bough.ts';
    const base = process.argv[2] ?? '';
    const { project } = await send(base, 'createProject', { body: { name: 'From TypeScript' } });
    const { projects } = await send(base, 'listProjects', { search: 'typescript', limit: 5 });
    const found: string | undefined = projects[0]?.id;
    // @ts-expect-error: no such field
    void project.nothing;
    if (found !== project.id) throw new Error('the project was not found');
    const stream = await send(base, 'chat', { id: project.id, body: { message: 'Hello', ref: 'main' } });
    console.log((await stream.text()).trim().split('\\n').length);
  `;
  await writeFile(join(directory, 'bough.ts'), typescriptClient(document()));
  await writeFile(join(directory, 'program.ts'), program);
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const options = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    rewriteRelativeImportExtensions: true,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    outDir: 'out',
  };
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['program.ts'] }),
  );
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const compiled = spawnSync(tsc, ['-p', directory], { encoding: 'utf8' });
  expect(compiled.stdout + compiled.stderr).toBe('');
  const { stdout } = await run(process.execPath, [join(directory, 'out', 'program.js'), server.url]);
  expect(Number(stdout)).toBeGreaterThan(2);
});

const PYTHON = `
import socket
import sys
import threading
sys.path.insert(0, sys.argv[1])
from bough import Bough, BoughError


def answer(server, sent):
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(sent)


bough = Bough(sys.argv[2])
project = bough.create_project({"name": "From Python: \\u00e9 \\U0001f333"})["project"]
assert bough.list_projects(search="from python", limit=5)["projects"][0]["id"] == project["id"]
lines = list(bough.chat(project["id"], {"message": "Hello", "ref": "main"}))
assert lines[-1]["type"] == "done", lines[-1]
assert bough.history(project["id"], ref="main", limit=5)["groups"]
try:
    bough.get_project("no such project")
    raise SystemExit("an unknown project was found")
except BoughError as error:
    assert (error.status, error.code) == (404, "unknown_id"), (error.status, error.code, str(error))
try:
    Bough("http://127.0.0.1:9", timeout=5).list_projects()
    raise SystemExit("a server that is not there answered")
except BoughError as error:
    assert (error.status, error.code) == (0, "unreachable"), (error.status, error.code, str(error))
# What a server sends that dies while it answers, or that is none of Bough's.
CHUNKED = b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n"
for sent, status, read in [
    (b"SSH-2.0-none\\r\\n", 0, lambda one: one.list_projects()),
    (b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\n{}", 0, lambda one: one.list_projects()),
    (b"HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\n<html>", 200, lambda one: one.list_projects()),
    (CHUNKED + b"3\\r\\n{}\\n\\r\\n", 0, lambda one: list(one.watch())),
    (CHUNKED + b"4\\r\\n{}\\n{\\r\\n", 0, lambda one: list(one.watch())),
]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = threading.Thread(target=answer, args=(server, sent))
        answering.start()
        try:
            read(Bough("http://127.0.0.1:%d" % server.getsockname()[1], timeout=20))
            raise SystemExit("half an answer was taken for a whole one: %r" % sent)
        except BoughError as error:
            assert (error.status, error.code) == (status, "unreadable" if status else "unreachable"), (sent, error.code)
        answering.join()
file = bough.upload_blob(b"plain words", name="words.txt")
assert bough.get_blob(file["block"]["file"]["hash"]) == b"plain words"
bough.delete_project(project["id"])
print("ok", file["block"]["type"])
`;

/** Where there is no Python 3.11, nobody can use the client there, and the rest is proven: that it is up to date. */
function python(): string | null {
  const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']);
  return status === 0 ? 'python3' : null;
}

test('the Python client is generated from it, and talks to the server where there is a Python', async () => {
  const client = pythonClient(document());
  await expect(client).toMatchFileSnapshot(join(ROOT, 'clients/python/bough.py'));
  const program = python();
  if (program === null) return;
  await writeFile(join(directory, 'bough.py'), client);
  await writeFile(join(directory, 'program.py'), PYTHON);
  // Not waited for synchronously: the server is in this process.
  const ran = await run(program, [join(directory, 'program.py'), directory, server.url], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toBe('ok file\n');
  const [, example = ''] = /```python\n(.*?)```/s.exec(await readFile(join(ROOT, 'docs/clients.md'), 'utf8')) ?? [];
  await writeFile(join(directory, 'example.py'), example);
  const { stdout } = await run(program, [join(directory, 'example.py')], {
    env: { ...process.env, BOUGH_URL: server.url, PYTHONDONTWRITEBYTECODE: '1' },
  });
  expect(stdout).toMatch(/\S{2,}[\s\S]*1\n$/);
});
