/**
 * Runs in a thread of its own, as text: the same lines work from source, compiled and in the bundle, none of which
 * has a file that a thread could be started from in all three. Plain JavaScript; `pdf.test.ts` runs every line.
 *
 * A thread's heap can be bounded, its buffers cannot: they lie outside the heap, and a stream of a few kilobytes can
 * inflate into gigabytes of them. So the constructors of this thread keep count.
 */
export const WORKER_CODE = `
const { readFileSync, writeFileSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const { parentPort, workerData } = require('node:worker_threads');
const { unpdf, path, out, bufferBytes, pages: mostPages, characters: mostCharacters } = workerData;

const COUNTED_FROM = 64 * 1024;
let used = 0;
const count = (bytes) => {
  if (bytes < COUNTED_FROM) return;
  used += bytes;
  if (used > bufferBytes) {
    // Parsers catch what their streams throw and go on; a thread that has ended does not.
    parentPort.postMessage({ refused: 'document_too_large' });
    process.exit();
  }
};

// Node's own inflater makes buffers that nobody counts; without it, streams are inflated here.
delete globalThis.DecompressionStream;

async function main() {
  const data = new Uint8Array(readFileSync(path));
  const { getDocumentProxy } = await import(pathToFileURL(unpdf));
  for (const name of ['ArrayBuffer', 'Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array',
    'Int16Array', 'Int32Array', 'Float32Array', 'Float64Array']) {
    const Original = globalThis[name];
    const width = Original.BYTES_PER_ELEMENT ?? 1;
    globalThis[name] = new Proxy(Original, {
      construct(target, given, maker) {
        if (typeof given[0] === 'number') count(given[0] * width);
        return Reflect.construct(target, given, maker === globalThis[name] ? target : maker);
      },
    });
  }
  const pdf = await getDocumentProxy(data, { verbosity: 0, useSystemFonts: false, disableFontFace: true,
    stopAtErrors: false, enableXfa: false });
  const { info } = await pdf.getMetadata();
  if (info.EncryptFilterName) return { refused: 'document_protected' };
  if (pdf.numPages > mostPages) return { refused: 'document_too_large', pages: pdf.numPages };
  const texts = [];
  let characters = 0;
  let isCut = false;
  let hasText = false;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    if (isCut) continue;
    const { items } = await page.getTextContent();
    const text = items.map((item) => (item.str ?? '') + (item.hasEOL ? '\\n' : '')).join('').replaceAll('\\0', '').trim();
    page.cleanup();
    hasText ||= text !== '';
    const shown = '[Page ' + number + ']\\n' + text.toWellFormed();
    characters += shown.length + 2;
    if (characters > mostCharacters) isCut = true;
    else texts.push(shown);
  }
  if (hasText) writeFileSync(out, texts.join('\\n\\n') + '\\n', { flag: 'wx' });
  return { pages: pdf.numPages, hasText, textPages: texts.length };
}

main().then(
  (result) => parentPort.postMessage(result),
  (error) => parentPort.postMessage({
    refused: error?.name === 'PasswordException' ? 'document_protected' : 'document_unreadable',
    why: String(error?.message ?? error),
  }),
).finally(() => process.exit());
`;
