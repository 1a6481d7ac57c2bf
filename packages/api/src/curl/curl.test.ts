import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { curlOf } from './index.ts';

/** The words that the program `curl` would get from a shell. */
function wordsOf(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const out = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { API_KEY: 'the reader’s own' } });
  return out.split('\0').slice(0, -1);
}

describe('a request as a curl command', () => {
  it.each(['{"text":"it\'s"}', '$(echo ran) `echo ran` "quoted" \\', "'", "'\\''", '@file', 'two\nlines', '气候'])(
    'AP-8: gets through a shell to the byte: %j',
    (body) => {
      const headers = { 'content-type': 'application/json', 'x-odd': `it's "$HOME"` };
      const command = curlOf(
        { method: 'POST', url: 'https://host/v1?a=1&b=2', headers, body },
        { 'x-api-key': '$API_KEY' },
      );
      const words = wordsOf(command);
      expect(words.slice(0, 3)).toEqual(['-X', 'POST', 'https://host/v1?a=1&b=2']);
      expect(words.slice(3, -2).filter((word) => word !== '-H')).toEqual([
        'content-type: application/json',
        `x-odd: it's "$HOME"`,
        'x-api-key: the reader’s own',
      ]);
      expect(words.slice(-2)).toEqual(['--data-raw', body]);
    },
  );
});
