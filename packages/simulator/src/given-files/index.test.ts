import { createHash } from 'node:crypto';
import { isPlainObject } from '@bough/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Simulator } from '../server.ts';
import { startSimulator } from '../server.ts';
import { MOST_BYTES } from './index.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ seed: 'given files' });
});
afterAll(() => simulator.close());

const CLAUDE = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' };
const BYTES = new Uint8Array([0, 255, 13, 10, 200, 1]);
const HASH = createHash('sha256').update(BYTES).digest('hex');

function form(fields: Readonly<Record<string, string>>, bytes = BYTES, name = 'data.bin'): FormData {
  const made = new FormData();
  for (const [key, value] of Object.entries(fields)) made.append(key, value);
  made.append('file', new Blob([bytes]), name);
  return made;
}

async function post(path: string, body: FormData | object, headers: Readonly<Record<string, string>> = {}) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${simulator.url}${path}`, {
    method: 'POST',
    body: isForm ? body : JSON.stringify(body),
    headers: isForm ? headers : { 'content-type': 'application/json', ...headers },
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer: isPlainObject(answer) ? answer : {} };
}

const claude = (file_id: string, tools: readonly object[], headers: Readonly<Record<string, string>> = CLAUDE) => {
  const content = [
    { type: 'text', text: '/sim code ls' },
    { type: 'container_upload', file_id },
  ];
  const body = { model: 'sim-thinker', max_tokens: 4_000, tools, messages: [{ role: 'user', content }] };
  return post('/v1/messages', body, headers);
};
const CODE = [{ type: 'code_execution_20250825', name: 'code_execution' }];

it('SIM-160: Anthropic: a file is taken as a form, and code in the container sees its bytes', async () => {
  const { answer } = await post('/v1/files', form({}), CLAUDE);
  const id = String(answer['id']);
  expect(answer).toMatchObject({ type: 'file', filename: 'data.bin', size_bytes: BYTES.length });
  expect(JSON.stringify((await claude(id, CODE)).answer)).toContain(`data.bin ${HASH}`);
  const said = async (...given: Parameters<typeof claude>) => {
    const { status, answer: refusal } = await claude(...given);
    return `${status} ${JSON.stringify(refusal['error'])}`;
  };
  expect(await said(`${id}x`, CODE)).toMatch(/^404 .*File `.*x` not found\./);
  expect(await said(id, [])).toMatch(/^400 .*require the code execution tool/);
  expect(await said(id, CODE, { 'anthropic-version': '2023-06-01' })).toMatch(/^400 .*require the beta/);
});

it('SIM-160: OpenAI: a file is taken as a form, and code in the container sees its bytes', async () => {
  const { answer } = await post('/v1/files', form({ purpose: 'user_data' }));
  const id = String(answer['id']);
  expect(answer).toMatchObject({ object: 'file', filename: 'data.bin', bytes: BYTES.length, purpose: 'user_data' });
  const ask = (file_id: string) => {
    const tools = [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [file_id] } }];
    const include = ['code_interpreter_call.outputs'];
    return post('/v1/responses', { model: 'sim-summary', input: '/sim code ls', tools, include, store: false });
  };
  expect(JSON.stringify((await ask(id)).answer)).toContain(`data.bin ${HASH}`);
  const refused = await ask(`${id}x`);
  expect(refused.status).toBe(404);
  expect(refused.answer['error']).toMatchObject({ message: `No such File object: ${id}x` });
});

it('SIM-160: a picture or a document that names a file which nobody gave is refused', async () => {
  const content = [{ type: 'image', source: { type: 'file', file_id: 'file_011Cnone' } }];
  const claudes = { model: 'sim-thinker', max_tokens: 4_000, messages: [{ role: 'user', content }] };
  const refused = await post('/v1/messages', claudes, CLAUDE);
  expect(refused.status).toBe(404);
  expect(refused.answer['error']).toMatchObject({ message: 'File `file_011Cnone` not found.' });
  for (const type of ['input_image', 'input_file']) {
    const input = [{ role: 'user', content: [{ type, file_id: 'file-none' }] }];
    const { status, answer } = await post('/v1/responses', { model: 'sim-summary', input, store: false });
    expect(status).toBe(404);
    expect(answer['error']).toMatchObject({ message: 'No such File object: file-none', param: 'input[0].content' });
  }
});

it.each([
  ['no beta', form({}), { 'anthropic-version': '2023-06-01' }, /in beta/],
  ['no purpose', form({}), {}, /not one of the purposes/],
  ['no form', { file: 'x' }, CLAUDE, /multipart/],
  ['an empty file', form({ purpose: 'user_data' }, new Uint8Array()), {}, /empty/],
  ['a name with a slash', form({}, BYTES, 'a/b'), CLAUDE, /file name/],
  ['too many bytes', form({}, new Uint8Array(MOST_BYTES + 1)), CLAUDE, /larger than/],
])('SIM-161: %s is refused', async (_, body, headers, message) => {
  const { status, answer } = await post('/v1/files', body, headers);
  expect(status).toBe(400);
  expect(JSON.stringify(answer['error'])).toMatch(message);
});
