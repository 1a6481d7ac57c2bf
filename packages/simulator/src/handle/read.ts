import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SentForm } from '../simulated-protocol.ts';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The body, or null if it is too large. */
export async function readBody(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a form holds; null where the body is none, or is broken. */
export async function readForm(bytes: Buffer<ArrayBuffer>, type: string): Promise<SentForm | null> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    const fields = [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
    const file = form.get('file');
    return { fields: Object.fromEntries(fields), file: file instanceof File ? await sentFile(file) : null };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

async function sentFile(file: File): Promise<SentForm['file']> {
  const hash = createHash('sha256')
    .update(new Uint8Array(await file.arrayBuffer()))
    .digest('hex');
  return { name: file.name, mediaType: file.type, size: file.size, hash };
}

/** Null for an empty body, undefined for one that is not JSON. */
export function parseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function singleHeaders(incoming: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
