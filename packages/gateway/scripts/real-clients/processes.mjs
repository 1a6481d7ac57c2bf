import { spawn } from 'node:child_process';

const running = new Set();

/** Runs a program to its end, with its children; one that takes too long is ended with them. */
export function run(program, words, { cwd, env, timeoutMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let output = '';
    let errors = '';
    child.stdout.on('data', (piece) => (output += piece));
    child.stderr.on('data', (piece) => (errors += piece));
    const late = setTimeout(() => end(child, 'SIGKILL'), timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(late);
      running.delete(child);
      resolve({ code: code ?? signal, output, errors });
    });
  });
}

/** Starts a server, and waits for the line that says where it is. */
export function serve(program, words, { cwd, env, address }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let output = '';
    const log = [];
    child.stderr.on('data', (piece) => log.push(String(piece)));
    const closed = new Promise((done) => child.once('close', done));
    child.stdout.on('data', (piece) => {
      output += piece;
      const url = address.exec(output)?.[1];
      if (url !== undefined) resolve({ url, log: () => log.join(''), stop: () => stop(child, closed) });
    });
    child.once('error', reject);
    void closed.then((code) => reject(new Error(`${program} ended with ${code}: ${log.join('')}`)));
  });
}

async function stop(child, closed) {
  end(child, 'SIGTERM');
  await closed;
  running.delete(child);
}

/** The group: a client starts programs of its own. */
function end(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Nothing outlives this script. */
export function endAll() {
  for (const child of running) end(child, 'SIGKILL');
}
