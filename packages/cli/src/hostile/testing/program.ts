import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SCRIPT = new URL('../../../scripts/bundle.mjs', import.meta.url);
const DRIVER = fileURLToPath(new URL('./driver.ts', import.meta.url));

/** The whole program from source in one file, driven by a list of commands. */
export async function bundleProgram(directory: string): Promise<string> {
  const path = join(directory, 'driver.mjs');
  const words = [path, { entryPoints: [DRIVER] }].map((word) => JSON.stringify(word)).join(', ');
  const code = `const { bundle } = await import(${JSON.stringify(SCRIPT.href)}); await bundle(${words});`;
  await run(process.execPath, ['--input-type=module', '-e', code], { cwd: fileURLToPath(new URL('.', SCRIPT)) });
  return path;
}
