import { routes } from '@bough/api';
import type { HttpBindings } from '@hono/node-server';
import type { StoredFile } from '@bough/core';
import { projectId } from '@bough/core';
import { htmlOf, markdownOf, picturesOf, writeBundle, zipDirectory } from '@bough/transfer';
import { join } from 'node:path';
import { uploading } from '../http/index.ts';
import type { Log } from '../log.ts';
import { HttpProblem, toProblem } from '../problem.ts';
import { bytesBody } from '../stream/bytes.ts';
import { ndjsonBody } from '../stream/ndjson.ts';
import { attachment, fileNameOf, wholeBranch } from '../transfer/export.ts';
import { importLines } from '../transfer/import.ts';
import { receive } from '../transfer/receive.ts';
import { createFileKeeper } from '../uploads/index.ts';
import type { App, Parts } from './parts.ts';

const DEFAULT_MAX_BYTES = 1_000_000_000;
/** Conversations are text, which becomes several times smaller when it is packed. */
const UNPACKED_FACTOR = 4;

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(
    413,
    'file_too_large',
    `The file is larger than ${maxBytes} bytes. Raise limits.importMaxBytes in bough.config.json, or use bough import.`,
    { maxBytes },
  );
}

/** Whole projects in and out. */
export function transferHandlers(
  app: App,
  { config, engine, store, providers, scratch, health }: Parts,
  log: Log,
): void {
  const maxBytes = config.file.limits?.importMaxBytes ?? DEFAULT_MAX_BYTES;

  app.openapi(routes.importLimits, (context) => context.json({ maxBytes }, 200));
  app.openapi(routes.importFile, async (context) => {
    if (health() === 'stopping') throw new HttpProblem(503, 'shutting_down', 'The server is stopping. Try again soon.');
    const { name, onError = 'stop' } = context.req.valid('query');
    const requestId = context.get('requestId');
    const scratched = await scratch.open();
    // The server's own binding; absent only where the application is called without a connection.
    const socket = (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
    if (socket !== undefined) uploading.add(socket);
    try {
      const path = await receive(scratched.path, {
        body: context.req.raw.body,
        length: context.req.header('content-length'),
        name,
        maxBytes,
        tooLarge,
      });
      const abort = new AbortController();
      const problemOf = (error: unknown): { readonly code: string; readonly detail: string } => {
        const { status, code, detail } = toProblem(error, requestId);
        if (status >= 500 && !abort.signal.aborted && !scratched.stopping.aborted)
          log.error('import', { requestId, message: error instanceof Error ? error.message : String(error) });
        return { code, detail };
      };
      const { provider, model } = await engine.defaultLock();
      const lines = importLines(
        {
          store,
          path,
          temporaryDir: scratched.path,
          maxUnpackedBytes: maxBytes * UNPACKED_FACTOR,
          envelope: { provider, model, systemPrompt: null, tools: [], thinking: 'medium' },
          onError,
          files: createFileKeeper(config.file.limits?.fileBytes),
          deployments: providers.list().map(({ deployment }) => deployment),
          problemOf,
        },
        AbortSignal.any([abort.signal, scratched.stopping]),
        scratched.remove,
      );
      return context.body(ndjsonBody(lines, abort), 200, {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      });
    } catch (error) {
      await scratched.remove();
      throw error;
    } finally {
      if (socket !== undefined) uploading.delete(socket);
    }
  });

  app.openapi(routes.exportProject, async (context) => {
    const id = projectId(context.req.valid('param').id);
    const { format = 'bundle', ref = 'main', reasoning = 'folded' } = context.req.valid('query');
    const project = await store.getProject(id);
    if (format !== 'bundle') {
      const { branch, groups } = await wholeBranch(engine, id, ref);
      const title = branch.name === 'main' ? project.name : `${project.name} (${branch.name})`;
      const document = { title, groups, reasoning };
      const read = async ({ hash }: StoredFile) => (await store.blobs.read(id, hash))?.bytes;
      const text =
        format === 'html' ? htmlOf({ ...document, addressOf: await picturesOf(groups, read) }) : markdownOf(document);
      return context.body(text, 200, {
        'content-type': format === 'html' ? 'text/html; charset=utf-8' : 'text/markdown; charset=utf-8',
        'content-disposition': attachment(`${fileNameOf(title)}.${format === 'html' ? 'html' : 'md'}`),
      });
    }
    const name = fileNameOf(project.name);
    const scratched = await scratch.open();
    const bundle = join(scratched.path, 'bundle');
    try {
      await writeBundle(store, id, bundle);
    } catch (error) {
      await scratched.remove();
      throw error;
    }
    return context.body(bytesBody(zipDirectory(bundle, name), scratched.remove), 200, {
      'content-type': 'application/zip',
      'content-disposition': attachment(`${name}.zip`),
    });
  });
}
