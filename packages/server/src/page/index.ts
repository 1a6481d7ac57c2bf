import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { App } from '../handlers/parts.ts';
import { HttpProblem } from '../problem.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

const NO_PAGE = `<!doctype html><meta charset="utf-8"><title>Bough</title><body style="font:16px/1.5 system-ui;margin:4rem auto;max-width:40rem">
<h1>Bough</h1><p>The server is running. Its HTTP API is described at <a href="/api/openapi.json">/api/openapi.json</a>.</p>`;

/** Serves the page's files, and the page itself for every other address, because the page's own router handles them. */
export function pageHandlers(app: App, webDir: string | null): void {
  app.get('*', async (context) => {
    const file = webDir === null ? null : await fileAt(webDir, context.req.path);
    const isAsset = context.req.path.startsWith('/assets/');
    if (file === null && isAsset) throw new HttpProblem(404, 'no_route', 'There is no such file.');
    if (webDir === null) return context.html(NO_PAGE);
    const path = file ?? join(webDir, 'index.html');
    return new Response(webStream(path), {
      headers: {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        // Assets carry a hash in their names and never change; the page names the current ones.
        'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    });
  });
}

/** Null for anything that is not a file below the folder: no path leads out of it. */
async function fileAt(dir: string, requested: string): Promise<string | null> {
  let decoded: string;
  try {
    decoded = decodeURIComponent(requested);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
  const root = resolve(dir);
  const path = resolve(root, `.${decoded}`);
  if (decoded.includes('\0') || !path.startsWith(root + sep)) return null;
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? path : null;
}

function webStream(path: string): ReadableStream<Uint8Array> {
  return Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>;
}
