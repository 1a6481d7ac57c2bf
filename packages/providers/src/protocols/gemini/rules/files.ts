import { isPlainObject, memoized } from '@bough/core';
import { GEMINI_LIMITS } from '../../../files/limits.ts';
import type { FileInBody, FileTerms } from '../../../files/rules.ts';
import {
  bytesAsSaid,
  fewImages,
  fileInBody,
  fileRule,
  isKnownType,
  isRefusedKind,
  ofKind,
  oldestOver,
  shortBody,
} from '../../../files/rules.ts';
import type { ParsedRequest, WirePart } from '../wire.ts';
import type { GeminiRule, RuleContext } from './context.ts';
import { DOCS, withContents } from './context.ts';

const MEDIA = 'https://ai.google.dev/gemini-api/docs/file-input-methods';

const filesIn = memoized(({ request }: ParsedRequest): readonly FileInBody[] =>
  request.contents.flatMap(({ parts, role }, index) =>
    // What the model itself made goes back as it was.
    role === 'model' ? [] : parts.flatMap((part, at) => filesOf(part, `contents[${index}].parts[${at}]`)),
  ),
);

function filesOf(part: WirePart, path: string): readonly FileInBody[] {
  const inner: unknown = part.functionResponse?.['parts'];
  const list: readonly unknown[] = Array.isArray(inner) ? inner : [];
  return [
    ...(fileOf(part, path) ?? []),
    ...list.flatMap((nested, at) => fileOf(nested, `${path}.function_response.parts[${at}]`) ?? []),
  ];
}

function fileOf(part: unknown, path: string): readonly FileInBody[] | null {
  const inline: unknown = isPlainObject(part) ? part['inlineData'] : null;
  if (!isPlainObject(inline) || typeof inline['data'] !== 'string') return null;
  const mediaType = typeof inline['mimeType'] === 'string' ? inline['mimeType'] : '';
  const kind = kindOf(mediaType);
  return kind === null ? null : [fileInBody(path, kind, mediaType, inline['data'])];
}

/** Text and video are not judged here: the one is always taken, and nobody sends the other. */
function kindOf(mediaType: string): FileInBody['kind'] | null {
  if (mediaType.startsWith('audio/')) return 'audio';
  if (mediaType.startsWith('text/') || mediaType.startsWith('video/')) return null;
  return mediaType.startsWith('image/') ? 'image' : 'document';
}

function withLines(parsed: ParsedRequest, lines: ReadonlyMap<string, string>): ParsedRequest {
  if (lines.size === 0) return parsed;
  const contents = parsed.request.contents.map((content, index) => ({
    ...content,
    parts: content.parts.map((part, at) => lined(part, `contents[${index}].parts[${at}]`, lines)),
  }));
  return withContents(parsed, contents);
}

/** A file of a response is named in the response: its parts take no text. */
function lined(part: WirePart, path: string, lines: ReadonlyMap<string, string>): WirePart {
  const text = lines.get(path);
  if (text !== undefined) return { text };
  const { functionResponse } = part;
  const inner: unknown = functionResponse?.['parts'];
  if (functionResponse === undefined || !Array.isArray(inner)) return part;
  const list: readonly unknown[] = inner;
  const at = (index: number): string | undefined => lines.get(`${path}.function_response.parts[${index}]`);
  const told = list.flatMap((_, index) => at(index) ?? []);
  if (told.length === 0) return part;
  const kept = list.filter((_, index) => at(index) === undefined);
  const { parts: _, ...rest } = functionResponse;
  const response = { ...functionResponse.response, files: told.join('\n') };
  return { ...part, functionResponse: { ...rest, response, ...(kept.length > 0 && { parts: kept }) } };
}

const TERMS: FileTerms<ParsedRequest, RuleContext> = {
  filesIn,
  withLines,
  limits: () => GEMINI_LIMITS,
  model: ({ model }) => model,
};

const takenTypes = fileRule(TERMS, {
  id: 'GEM-FILE-1',
  title: 'Files are of a kind and a type that the model takes.',
  reference: MEDIA,
  find: (files, limits, { model }) =>
    files
      .filter((file) => isRefusedKind(file, model) || !isKnownType(file, limits))
      .map((file) => ({ file, message: `Unsupported MIME type: ${file.mediaType}` })),
});

const rightBytes = fileRule(TERMS, {
  id: 'GEM-FILE-2',
  title: 'The bytes of a file are what its type says.',
  reference: MEDIA,
  find: bytesAsSaid(({ kind }) => ({
    message: kind === 'document' ? 'The document has no pages.' : `Unable to process input ${kind}.`,
  })),
});

const tooManyImages = fewImages((images) => ({
  message: `The number of images exceeds the supported limit of ${images}.`,
}));

const countedPages = fileRule(TERMS, {
  id: 'GEM-FILE-3',
  title: 'A request holds no more than 1,000 pages of PDFs and 3,000 pictures.',
  reference: MEDIA,
  find: (files, limits, context, body) => [
    ...oldestOver(ofKind(files, 'document'), ({ measured }) => measured.pages, limits.pages).map((file) => ({
      file,
      message: `The document contains ${file.measured.pages} pages which exceeds the supported page limit of ${limits.pages}.`,
    })),
    ...tooManyImages(files, limits, context, body),
  ],
});

const shortRequest = fileRule(TERMS, {
  id: 'GEM-FILE-4',
  title: 'A request with files has no more than 20 MB.',
  reference: DOCS.reference,
  find: shortBody(
    ({ requestBytes }) => ({ message: `Request payload size exceeds the limit: ${requestBytes} bytes.` }),
    ({ request }: ParsedRequest) => request,
  ),
});

export const FILE_RULES: readonly GeminiRule[] = [takenTypes, rightBytes, countedPages, shortRequest];
