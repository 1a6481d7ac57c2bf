import type { AttachedBlock } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { KeepFile } from '../files/index.ts';
import type { ToolAnswer } from '../tool.ts';

/**
 * What a tool answered: its texts, and its pictures, sounds and other files. A file that cannot be kept is named, so
 * that the model knows that it was there.
 */
export async function answerOfResult(
  result: Readonly<Record<string, unknown>>,
  keepFile: KeepFile = () => Promise.resolve(null),
): Promise<ToolAnswer> {
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const isError = result['isError'] === true;
  const texts: string[] = [];
  const files: AttachedBlock[] = [];
  for (const [index, part] of content.entries()) {
    const text = textOf(part);
    // A failure is a sentence: no provider takes files with it.
    const file = text === null && !isError ? await fileOf(part, index, keepFile) : null;
    if (file === null) texts.push(text ?? nameOf(part));
    else files.push(file);
  }
  const joined = texts.join('\n');
  const structured = result['structuredContent'];
  const whole = joined === '' && structured !== undefined ? JSON.stringify(structured) : joined;
  if (isError) throw new Error(whole === '' ? 'The tool reported an error.' : whole);
  return { text: whole, files };
}

function textOf(part: unknown): string | null {
  if (!isPlainObject(part)) return '';
  if (part['type'] === 'text' && typeof part['text'] === 'string') return part['text'];
  if (part['type'] === 'resource' && isPlainObject(part['resource']) && typeof part['resource']['text'] === 'string') {
    return part['resource']['text'];
  }
  return null;
}

async function fileOf(part: unknown, index: number, keepFile: KeepFile): Promise<AttachedBlock | null> {
  if (!isPlainObject(part)) return null;
  const resource = isPlainObject(part['resource']) ? part['resource'] : {};
  const isResource = part['type'] === 'resource';
  const data = isResource ? resource['blob'] : part['data'];
  const mimeType = isResource ? resource['mimeType'] : part['mimeType'];
  if (typeof data !== 'string') return null;
  const mediaType = typeof mimeType === 'string' ? mimeType : '';
  const uri = isResource && typeof resource['uri'] === 'string' ? resource['uri'] : '';
  const name = fileName(uri) ?? `${String(part['type'])}-${index + 1}`;
  return keepFile({ name, mediaType, bytes: Buffer.from(data, 'base64') });
}

/** The last part of an address. */
function fileName(uri: string): string | null {
  const last =
    uri
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? '';
  try {
    return last === '' ? null : decodeURIComponent(last);
  } catch {
    return last;
  }
}

function nameOf(part: unknown): string {
  const { type, uri, name } = isPlainObject(part) ? part : {};
  if (type === 'resource_link')
    return `[resource: ${[name, uri].filter((text) => typeof text === 'string').join(', ')}]`;
  return `[${String(type)} content, which cannot be shown as text]`;
}
