import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export interface Executable {
  readonly path: string;
  /** For the browser alone: its own libraries would break any other program that found them. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Unpacks in a separate process, because environment variables, read at import, tell the package what to unpack and
 * where.
 */
const UNPACK = `
const { default: chromium } = await import(process.argv[1]);
await chromium.executablePath();
`;

/** The Chromium that `npm ci` installed, unpacked once per version and user. */
export async function shippedChromium(): Promise<Executable> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const home = dirname(dirname(dirname(entry)));
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as { version: string };
  const folder = join(cacheFolder(home), `chromium-${version}`);
  if (!existsSync(folder)) await unpackInto(folder, entry);
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

/**
 * Next to the installed packages, where `npm ci` removes it; for a user without write access there, in a folder of
 * their own.
 */
function cacheFolder(home: string): string {
  const user = `user-${process.getuid?.() ?? 'any'}`;
  const beside = join(dirname(dirname(home)), '.cache', 'bough', user);
  try {
    mkdirSync(beside, { recursive: true });
    accessSync(beside, constants.W_OK);
    return beside;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return join(tmpdir(), `bough-${user}`);
  }
}

/**
 * Several test files start at once: each unpacks into its own folder, the first to finish renames its folder, the
 * others delete theirs.
 */
async function unpackInto(folder: string, entry: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const aside = await mkdtemp(`${folder}-`);
  try {
    await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', UNPACK, '--', pathToFileURL(entry).href],
      // Without this runtime's name the libraries stay packed; without a folder of their own, two users would collide
      // in /tmp.
      { env: { ...process.env, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x', TMPDIR: aside } },
    );
    await writeFile(join(aside, 'fonts.conf'), fontsConfig(folder));
    await rename(aside, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Without it, no font is found on a bare machine, text has no size, and nothing can be clicked. */
function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
