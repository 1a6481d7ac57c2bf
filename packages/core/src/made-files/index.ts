import type { ContentBlock } from '../blocks/index.ts';
import { isPlainObject } from '../blocks/index.ts';

type Json = Readonly<Record<string, unknown>>;

/** A file that came inside of a reply, as the provider sent it. */
export interface MadeFile {
  readonly name: string;
  /** Base64. */
  readonly data: string;
  /** What it was made from, in words. */
  readonly alt?: string;
  /** Made while the model was thinking: people may see it, other models never do. */
  readonly inThought?: true;
}

/** A block without the bytes of its files, and those files. */
export interface Emptied {
  readonly bare: ContentBlock;
  readonly files: readonly MadeFile[];
}

/**
 * Takes the files out of a provider's own block: pictures that it drew, those that its code made, PDFs that it fetched.
 * Raw keeps their bytes as they came, which is what goes back to the provider. Kept a second time in canonical blocks,
 * megabytes of base64 would travel with every page of history. Null for a block that brings no file.
 */
export function emptied(block: ContentBlock): Emptied | null {
  const fields: Json = { ...block };
  switch (block.type) {
    case 'image_generation_call':
      return drawn(fields);
    case 'code_interpreter_call':
      return plotted(fields);
    case 'images':
      return listed(fields);
    case 'gemini:inlineData':
      return inline(fields);
    case 'web_fetch_tool_result':
      return fetched(fields);
    default:
      return null;
  }
}

/** OpenAI's picture, whose prompt is often better than the one that a person wrote. */
function drawn({ result, ...rest }: Json): Emptied | null {
  if (!isBase64(result)) return null;
  const { output_format: format, revised_prompt: prompt } = rest;
  const name = nameOf(`image/${typeof format === 'string' ? format : 'png'}`);
  return { bare: bareBlock(rest), files: [{ name, data: result, ...altOf(prompt) }] };
}

/** Pictures among the outputs of code. One that is only linked to stays a link. */
function plotted({ outputs, ...rest }: Json): Emptied | null {
  const list: readonly unknown[] = Array.isArray(outputs) ? outputs : [];
  const found = list.map((output) => (isPlainObject(output) ? withoutUrl(output) : null));
  return together(rest, 'outputs', list, found);
}

function withoutUrl({ url, ...rest }: Json): Taken | null {
  const file = ofDataUrl(url);
  return file === null ? null : { rest, file };
}

/** Servers with the Chat Completions API that draw. */
function listed({ images, ...rest }: Json): Emptied | null {
  const list: readonly unknown[] = Array.isArray(images) ? images : [];
  const found = list.map((image): Taken | null => {
    if (!isPlainObject(image) || !isPlainObject(image['image_url'])) return null;
    const { url, ...about } = image['image_url'];
    const file = ofDataUrl(url);
    return file === null ? null : { rest: { ...image, image_url: about }, file };
  });
  return together(rest, 'images', list, found);
}

/** Whatever Gemini puts into a part of its own: pictures, and sound. */
function inline(fields: Json): Emptied | null {
  const part = isPlainObject(fields['part']) ? fields['part'] : {};
  const about = isPlainObject(part['inlineData']) ? part['inlineData'] : {};
  const { data, ...facts } = about;
  if (!isBase64(data)) return null;
  const file = { name: nameOf(facts['mimeType']), data };
  return {
    bare: bareBlock({ ...fields, part: { ...part, inlineData: facts } }),
    files: [part['thought'] === true ? { ...file, inThought: true } : file],
  };
}

/** A PDF that Claude fetched: its pages count in every later request, like those of a PDF that a person attached. */
function fetched(fields: Json): Emptied | null {
  const page = isPlainObject(fields['content']) ? fields['content'] : {};
  const document = isPlainObject(page['content']) ? page['content'] : {};
  const { data, ...source } = isPlainObject(document['source']) ? document['source'] : {};
  if (document['type'] !== 'document' || source['type'] !== 'base64' || !isBase64(data)) return null;
  return {
    bare: bareBlock({ ...fields, content: { ...page, content: { ...document, source } } }),
    files: [{ name: nameOfPage(document['title'], page['url']), data }],
  };
}

interface Taken {
  readonly rest: Json;
  readonly file: MadeFile;
}

function together(rest: Json, key: string, list: readonly unknown[], found: readonly (Taken | null)[]): Emptied | null {
  const files = found.flatMap((each) => (each === null ? [] : [each.file]));
  if (files.length === 0) return null;
  return { bare: bareBlock({ ...rest, [key]: list.map((each, index) => found[index]?.rest ?? each) }), files };
}

const bareBlock = (fields: Json): ContentBlock => ({ ...fields, type: String(fields['type']) });

function ofDataUrl(url: unknown): MadeFile | null {
  if (typeof url !== 'string') return null;
  const head = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,/.exec(url.slice(0, 200));
  const data = head === null ? '' : url.slice(head[0].length);
  return head === null || !isBase64(data) ? null : { name: nameOf(head[1]), data };
}

/** Only its beginning is looked at: a picture has millions of characters. */
function isBase64(value: unknown): value is string {
  return typeof value === 'string' && /^[\w+/-]+={0,2}$/.test(value.slice(0, 200));
}

const ENDINGS: Readonly<Record<string, string>> = { jpeg: 'jpg', mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav' };
const KINDS: Readonly<Record<string, string>> = { image: 'picture', audio: 'sound' };

/** Providers give their files no names. */
function nameOf(mediaType: unknown): string {
  const [, kind = '', form = ''] = /^(\w+)\/([\w-]+)$/.exec(typeof mediaType === 'string' ? mediaType : '') ?? [];
  const noun = KINDS[kind];
  return noun === undefined ? 'file' : `${noun}.${ENDINGS[form] ?? form}`;
}

/** Its title, or else the end of its address. */
function nameOfPage(title: unknown, url: unknown): string {
  const [words, address] = [title, url].map((value) => (typeof value === 'string' ? value.trim() : ''));
  const end = address
    ?.replace(/[?#].*$/s, '')
    .split('/')
    .at(-1);
  const name = (words?.replaceAll(/[/\\]/g, '-') || end || 'document').slice(0, LONGEST_NAME);
  return name.toLowerCase().endsWith('.pdf') ? name : `${name}.pdf`;
}

const LONGEST_NAME = 150;
const LONGEST_ALT = 1_000;

function altOf(prompt: unknown): { readonly alt?: string } {
  if (typeof prompt !== 'string' || prompt.trim() === '') return {};
  return { alt: prompt.toWellFormed().trim().slice(0, LONGEST_ALT).toWellFormed() };
}
