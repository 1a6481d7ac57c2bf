// Starts a real nginx with deploy/nginx.conf.template in front of a Bough that runs, and looks at what gets through:
// BOUGH_TOKEN=… node scripts/check-proxy.mjs PORT. scripts/check-deploy.sh calls it where there is an nginx.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [behind] = process.argv.slice(2);
const token = process.env['BOUGH_TOKEN'];
if (behind === undefined || token === undefined) {
  console.error('usage: BOUGH_TOKEN=… node scripts/check-proxy.mjs PORT');
  process.exit(2);
}

const port = await freePort();
const home = mkdtempSync(join(tmpdir(), 'bough-proxy-'));
const template = readFileSync(resolve(import.meta.dirname, '../deploy/nginx.conf.template'), 'utf8');
const proxy = template
  .replaceAll('${BOUGH_TOKEN}', token)
  .replaceAll(/bough-\d:4870/g, `127.0.0.1:${behind}`)
  .replace('listen 80;', `listen 127.0.0.1:${port};`)
  .replaceAll('/etc/nginx/htpasswd', join(home, 'htpasswd'));
const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home}/${name};`);
writeFileSync(join(home, 'htpasswd'), `ada:{PLAIN}secret\n`);
writeFileSync(
  join(home, 'nginx.conf'),
  `daemon off; pid ${home}/pid; error_log stderr warn; events {} http { access_log off; ${places.join(' ')}\n${proxy}\n}`,
);
// Without root there is no other user to become, and with it the files of this one are not theirs.
const words = ['-p', home, '-c', join(home, 'nginx.conf'), ...(process.getuid?.() === 0 ? ['-g', 'user root;'] : [])];
execFileSync('nginx', ['-t', '-q', ...words], { stdio: 'inherit' });
const nginx = spawn('nginx', words, { stdio: 'inherit' });
const url = `http://127.0.0.1:${port}`;
const login = { authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}` };
const asProgram = { authorization: `Bearer ${token}` };
let wrong = 0;
try {
  await until(() => fetch(`${url}/proxy-health`).then(({ status }) => status === 204));
  await expectStatus('a stranger', 401, '/api/projects');
  await expectStatus('a stranger with a wrong token', 401, '/api/projects', {
    headers: { authorization: 'Bearer wrong' },
  });
  await expectStatus('a person', 200, '/api/projects', { headers: login });
  await expectStatus('a program with the token', 200, '/api/projects', { headers: asProgram });
  const file = { method: 'POST', body: new Uint8Array(12_000_000).fill(97) };
  const bytes = { 'content-type': 'application/octet-stream' };
  // Bough's own answer: no model reads as much text. nginx would say 413.
  await expectStatus('a file of 12 MB', 422, '/api/blobs?name=large.txt', { ...file, headers: { ...login, ...bytes } });
  await expectStatus('a stranger’s file', 401, '/api/blobs?name=large.txt', { ...file, headers: bytes });
  const body = JSON.stringify({ model: 'sim-plain', max_tokens: 200, messages: [{ role: 'user', content: 'Hello' }] });
  const asked = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  const messages = '/gateway/simulated/v1/messages';
  const own = { authorization: 'Bearer sk-of-the-client' };
  const ask = (headers) => ({ method: 'POST', body, headers: { ...asked, ...headers } });
  await expectStatus('another client without the token', 401, messages, ask(own));
  await expectStatus('another client with the token as its key', 200, messages, ask({ 'x-api-key': token }));
  await expectStatus('another client with a key of its own', 200, messages, ask({ ...own, 'x-bough-token': token }));
} finally {
  nginx.kill('SIGTERM');
  await once(nginx, 'exit');
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = wrong === 0 ? 0 : 1;

async function expectStatus(who, expected, path, options = {}) {
  const answer = await fetch(`${url}${path}`, options);
  const text = await answer.text();
  if (answer.status === expected) return console.log(`nginx: ${who}: ${answer.status}, as it should be`);
  wrong += 1;
  console.error(`nginx: ${who}: ${answer.status} instead of ${expected}: ${text.slice(0, 300)}`);
}

async function until(isSo) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await isSo().catch(() => false)) return;
    if (nginx.exitCode !== null) throw new Error('nginx ended.');
    await new Promise((later) => void setTimeout(later, 100));
  }
  throw new Error('nginx does not answer.');
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: free } = probe.address();
  probe.close();
  await once(probe, 'close');
  return free;
}
