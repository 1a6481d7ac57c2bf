import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from './run-document.ts';

const run = promisify(execFile);

/** What each prints, line by line, except where that is left to chance. */
const PRINTED: Readonly<Record<string, readonly RegExp[]>> = {
  'ai-sdk.mjs': [
    /^without Bough: .*Expected `thinking`/,
    /^with Bough: Reply number 2/,
    /^ {2}verbatim$/,
    /^ {2}canonical: model_break, thinking_not_replayable$/,
    /^ {2}verbatim$/,
  ],
  'engine.mjs': [/^main: /, /^sunset is told: verbatim, canonical, verbatim$/, /^sunset: /, /^main: Reply number 2/],
};

describe('examples/', () => {
  it('are all run', () => {
    expect(readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.mjs'))).toEqual(Object.keys(PRINTED));
  });

  it.each(Object.entries(PRINTED))('%s runs and says what it should', async (name, lines) => {
    const { stdout } = await run(process.execPath, [join('examples', name)], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    });
    // The AI SDK prints its own warnings in between.
    const told = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('AI SDK'));
    expect(told).toEqual(lines.map((line) => expect.stringMatching(line)));
  });
});
