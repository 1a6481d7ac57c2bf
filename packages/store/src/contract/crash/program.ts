import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** A program in plain JavaScript that Node can start by itself. */
export interface Program {
  readonly path: string;
  readonly dispose: () => Promise<void>;
}

// Inside the package, so that what is not bundled (drivers with binaries) is found from there.
const OUTPUT = fileURLToPath(new URL('../../../dist/', import.meta.url));

/** Bundles a TypeScript entry with the packages of this workspace, as the tests see them: from source. */
export async function bundleProgram(entry: URL): Promise<Program> {
  await mkdir(OUTPUT, { recursive: true });
  const directory = await mkdtemp(join(OUTPUT, 'program-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] }, noExternal: [/^@bough\//] },
    build: {
      ssr: fileURLToPath(entry),
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'program.mjs' } },
    },
  });
  return { path: join(directory, 'program.mjs'), dispose: () => rm(directory, { recursive: true, force: true }) };
}
