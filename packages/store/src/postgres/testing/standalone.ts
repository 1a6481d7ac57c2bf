import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { Program } from '../../contract/crash/program.ts';

/**
 * Bundles a program with everything that it imports, readable by every user: a child that runs as somebody else may not be able to look
 * into the repository.
 */
export async function bundleStandalone(entry: URL): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'bough-program-'));
  await chmod(directory, 0o755);
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['source'] },
    ssr: { resolve: { conditions: ['source'] }, noExternal: true },
    build: {
      ssr: fileURLToPath(entry),
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rollupOptions: { external: ['pg-native'], output: { entryFileNames: 'program.mjs' } },
    },
  });
  return { path: join(directory, 'program.mjs'), dispose: () => rm(directory, { recursive: true, force: true }) };
}
