import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Executable } from './shipped-chromium.ts';
import { shippedChromium } from './shipped-chromium.ts';
import { errorText } from '../view/error-text.ts';

const INSTALLED = [
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

const ARGUMENTS = [
  // Only this machine can be reached, whatever a page or the browser itself requests.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
  '--disable-domain-reliability',
  '--no-pings',
  // Containers make /dev/shm too small; when it is full, the tab crashes.
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // Nothing here is drawn in three dimensions; a process that could do it in software costs a tenth of every test.
  '--disable-gpu',
  '--disable-software-rasterizer',
];

/** A real Chromium: the one named by BROWSER_PATH, else the one that `npm ci` installed, else one on the system. */
export async function launchBrowser(): Promise<Browser> {
  const attempts: string[] = [];
  for (const [name, find] of candidates()) {
    try {
      const { path, env } = await find();
      return await chromium.launch({
        executablePath: path,
        args: ARGUMENTS,
        env: { ...environment(), ...env },
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
    } catch (error) {
      attempts.push(`${name}: ${errorText(error)}`);
    }
  }
  throw new Error(`No browser could be started. Set BROWSER_PATH to a Chromium.\n${attempts.join('\n')}`);
}

function candidates(): readonly (readonly [name: string, find: () => Promise<Executable>])[] {
  const named = process.env['BROWSER_PATH'];
  if (named !== undefined && named !== '') return [['BROWSER_PATH', async () => ({ path: named, env: {} })]];
  return [
    ...(process.platform === 'linux' ? ([['the shipped Chromium', shippedChromium]] as const) : []),
    ...INSTALLED.filter((path) => existsSync(path)).map((path) => [path, async () => ({ path, env: {} })] as const),
  ];
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
