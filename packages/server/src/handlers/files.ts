import { routes } from '@bough/api';
import { blobHash, projectId } from '@bough/core';
import { fit, headOfFile } from '@bough/files';
import type { HttpBindings } from '@hono/node-server';
import { uploading } from '../http/index.ts';
import { HttpProblem } from '../problem.ts';
import { receive } from '../transfer/receive.ts';
import { DEFAULT_FILE_BYTES, keep, looksLikeRecord, MARK_LENGTH, serveBlob } from '../uploads/index.ts';
import { uploadView } from '../views/index.ts';
import type { App, Parts } from './parts.ts';

/** The files of messages. */
export function fileHandlers(app: App, { config, store, scratch, health }: Parts): void {
  const maxBytes = config.file.limits?.fileBytes ?? DEFAULT_FILE_BYTES;

  app.openapi(routes.uploadBlob, async (context) => {
    if (health() === 'stopping') throw new HttpProblem(503, 'shutting_down', 'The server is stopping. Try again soon.');
    const { name } = context.req.valid('query');
    const { path: directory, remove } = await scratch.open();
    // The server's own binding; absent only where the application is called without a connection.
    const socket = (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
    if (socket !== undefined) uploading.add(socket);
    try {
      const length = context.req.header('content-length');
      const path = await receive(directory, {
        body: context.req.raw.body,
        length,
        name: undefined,
        maxBytes,
        tooLarge,
      });
      if (looksLikeRecord(await headOfFile(path, MARK_LENGTH)))
        throw new HttpProblem(422, 'file_reserved', 'Files that begin like this are written by Bough alone.');
      const fitted = await fit({ name, path, directory });
      return context.json(uploadView(await keep(store.blobs, fitted), fitted.notes), 201);
    } finally {
      if (socket !== undefined) uploading.delete(socket);
      await remove();
    }
  });
  app.openapi(routes.getBlob, async (context) => {
    const hash = blobHash(context.req.valid('param').hash);
    const { project, name } = context.req.valid('query');
    const scope = project === undefined ? null : projectId(project);
    const answer = await serveBlob((start) => store.blobs.read(scope, hash, start), {
      hash,
      name,
      range: context.req.header('range'),
      ifNoneMatch: context.req.header('if-none-match'),
    });
    if (answer !== undefined) return answer;
    const where = scope === null ? 'among the files of the last two days' : 'in this project';
    throw new HttpProblem(404, 'no_file', `There is no such file ${where}.`);
  });
}

function tooLarge(maxBytes: number): HttpProblem {
  const megabytes = (maxBytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 });
  return new HttpProblem(
    413,
    'too_large',
    `A file may have at most ${megabytes} MB (limits.fileBytes in the configuration). Make it smaller, or split it.`,
    { maxBytes },
    // The rest of it is not read: a client that used the connection again would find it closed.
    { connection: 'close' },
  );
}
