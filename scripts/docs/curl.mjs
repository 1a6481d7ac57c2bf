// `curl` for the documents' commands, so that they run on a machine without curl. It knows the options that the
// documents use, returns curl's own exit codes, and refuses everything else: a document that needs more must be tried
// with curl first.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';

const FLAGS = { s: 'silent', S: 'showError', f: 'fail', N: 'noBuffer', 'fail-with-body': 'failWithBody' };
const VALUES = { X: 'method', H: 'header', d: 'data', 'data-binary': 'binary', 'max-time': 'maxTime' };
const USAGE = 2;
const NO_CONNECTION = 7;
const HTTP_ERROR = 22;
const NOT_WRITTEN = 23;
const TIMED_OUT = 28;
const CUT_OFF = 56;

class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function read(words) {
  const asked = { flags: new Set(), headers: [], method: null, data: null, binary: null, maxTime: null, url: null };
  const left = [...words];
  const take = (name, inline) => {
    if (Object.hasOwn(FLAGS, name)) return asked.flags.add(FLAGS[name]);
    if (!Object.hasOwn(VALUES, name)) throw new Failure(USAGE, `the documents' curl does not know ${name}`);
    const value = inline || left.shift();
    if (value === undefined) throw new Failure(USAGE, `${name} lacks its value`);
    if (VALUES[name] === 'header') asked.headers.push(value);
    else asked[VALUES[name]] = value;
  };
  while (left.length > 0) {
    const word = left.shift();
    if (word.startsWith('--')) take(word.slice(2));
    else if (word.startsWith('-')) {
      for (let at = 1; at < word.length; at += 1) {
        take(word[at], word.slice(at + 1));
        if (Object.hasOwn(VALUES, word[at])) break;
      }
    } else if (asked.url === null) asked.url = word;
    else throw new Failure(USAGE, `more than one address: ${word}`);
  }
  if (asked.url === null) throw new Failure(USAGE, 'no address');
  if (asked.data?.startsWith('@') === true) throw new Failure(USAGE, "the documents' curl reads no files");
  if (asked.binary?.startsWith('@')) asked.data = readFileSync(asked.binary.slice(1));
  else if (asked.binary !== null) asked.data = asked.binary;
  return asked;
}

function run({ flags, headers, method, data, maxTime, url }) {
  const given = headers.map((header) => /^([^:]+):\s*(.*)$/.exec(header)?.slice(1) ?? [header, '']);
  const form = data === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    // Not fetch: loading it takes longer than everything else here, and a document has dozens of commands.
    const sent = request(url, {
      method: method ?? (data === null ? 'GET' : 'POST'),
      headers: { ...form, ...Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value])) },
    });
    const limit = maxTime === null ? null : setTimeout(() => fail(TIMED_OUT, 'timed out'), Number(maxTime) * 1000);
    const end = (settle) => {
      clearTimeout(limit);
      settle();
    };
    const fail = (code, message) => end(() => reject(new Failure(code, message)));
    sent.on('error', ({ message }) => fail(NO_CONNECTION, message));
    sent.on('response', (response) => {
      const failed = response.statusCode >= 400 && (flags.has('fail') || flags.has('failWithBody'));
      if (failed && flags.has('fail')) response.resume();
      else response.pipe(process.stdout, { end: false });
      response.on('error', ({ message }) => fail(CUT_OFF, message));
      response.on('end', () =>
        failed ? fail(HTTP_ERROR, `The requested URL returned error: ${response.statusCode}`) : end(resolve),
      );
    });
    sent.end(data ?? undefined);
  });
}

// `curl … | head` closes the pipe early.
process.stdout.on('error', () => process.exit(NOT_WRITTEN));
let flags = new Set();
try {
  const asked = read(process.argv.slice(2));
  ({ flags } = asked);
  await run(asked);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  if (!flags.has('silent') || flags.has('showError')) process.stderr.write(`curl: (${error.code}) ${error.message}\n`);
  // An abandoned request may still be connected.
  process.exit(error.code);
}
