import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** A program in plain JavaScript that Node can start by itself. */
export interface Program {
  readonly path: string;
  readonly dispose: () => Promise<void>;
}

// Inside the package, so that dependencies that are not bundled (drivers with binaries) resolve from there.
const OUTPUT = fileURLToPath(new URL('../../../dist/', import.meta.url));

/** Bundles a TypeScript entry with the packages of this workspace, from source, as the tests see them. */
export async function bundleProgram(entry: URL): Promise<Program> {
  await mkdir(OUTPUT, { recursive: true });
  return bundleInto(await mkdtemp(join(OUTPUT, 'program-')), entry, [/^@bough\//, /^@noble\//]);
}

/** `bundled`: which of the packages that the program imports become part of it; `true` means all of them. */
export async function bundleInto(directory: string, entry: URL, bundled: true | RegExp[]): Promise<Program> {
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] }, noExternal: bundled },
    build: {
      ssr: fileURLToPath(entry),
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      // `pg` tries to load it; it is hardly ever installed.
      rollupOptions: { external: ['pg-native'], output: { entryFileNames: 'program.mjs' } },
    },
  });
  return { path: join(directory, 'program.mjs'), dispose: () => rm(directory, { recursive: true, force: true }) };
}
