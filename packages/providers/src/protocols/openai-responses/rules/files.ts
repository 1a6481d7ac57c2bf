import { isPlainObject, memoized } from '@bough/core';
import { OPENAI_LIMITS } from '../../../files/limits.ts';
import type { FileInBody, FileTerms, Offence } from '../../../files/rules.ts';
import {
  bytesAsSaid,
  fewImages,
  fileAtAddress,
  fileRule,
  isKnownType,
  isRefusedKind,
  shortBody,
} from '../../../files/rules.ts';
import type { WireItem } from '../wire.ts';
import type { ResponsesBody, ResponsesRule, RuleContext } from './context.ts';
import { mapItems, placedItems, rejection } from './context.ts';

const VISION = 'https://developers.openai.com/api/docs/guides/images-vision';
const FILES = 'https://developers.openai.com/api/docs/guides/file-inputs';

/** Where an item holds parts. */
const HOLDERS = ['content', 'output'] as const;

const filesIn = memoized((body: ResponsesBody): readonly FileInBody[] =>
  placedItems(body).flatMap(({ item, at }) =>
    HOLDERS.flatMap((key) => {
      const parts: unknown = item[key];
      const list: readonly unknown[] = Array.isArray(parts) ? parts : [];
      return list.flatMap((part, index) => fileOf(part, `input[${at}].${key}[${index}]`) ?? []);
    }),
  ),
);

function fileOf(part: unknown, path: string): FileInBody | null {
  if (!isPlainObject(part)) return null;
  const { type, image_url: image, file_data: file } = part;
  const isImage = type === 'input_image';
  return fileAtAddress(path, isImage ? 'image' : 'document', isImage ? image : type === 'input_file' ? file : null);
}

function withLines(body: ResponsesBody, lines: ReadonlyMap<string, string>): ResponsesBody {
  if (lines.size === 0) return body;
  return mapItems(body, (item, at) => HOLDERS.reduce((holder, key) => withLinesIn(holder, key, at, lines), item));
}

function withLinesIn(item: WireItem, key: string, at: number, lines: ReadonlyMap<string, string>): WireItem {
  const parts: unknown = item[key];
  if (!Array.isArray(parts) || ![...lines.keys()].some((path) => path.startsWith(`input[${at}].${key}[`))) return item;
  const list: readonly unknown[] = parts;
  const changed = list.map((part, index): unknown => {
    const text = lines.get(`input[${at}].${key}[${index}]`);
    return text === undefined ? part : { type: 'input_text', text };
  });
  return { ...item, [key]: changed };
}

const TERMS: FileTerms<ResponsesBody, RuleContext> = {
  filesIn,
  withLines,
  limits: () => OPENAI_LIMITS,
  model: ({ model }) => model,
};

const takenTypes = fileRule(TERMS, {
  id: 'OAR-FILE-1',
  title: 'Files are of a kind and a type that the model takes.',
  reference: FILES,
  find: (files, limits, { model }) =>
    files.flatMap((file): readonly Offence[] => {
      if (isRefusedKind(file, model)) {
        const message = `Invalid value at '${file.path}': files of this kind are only supported by certain models.`;
        return [{ file, message, errorCode: 'invalid_value' }];
      }
      if (isKnownType(file, limits)) return [];
      if (file.kind === 'image') {
        const formats = "['png', 'jpeg', 'gif', 'webp']";
        const message = `You uploaded an unsupported image. Please make sure your image has of one the following formats: ${formats}.`;
        return [{ file, message, errorCode: 'invalid_image_format' }];
      }
      const message = `Invalid input: Expected context stuffing file type to be a supported format: .pdf but got ${file.mediaType}.`;
      return [{ file, message }];
    }),
});

const rightBytes = fileRule(TERMS, {
  id: 'OAR-FILE-2',
  title: 'The bytes of a file are what its address says.',
  reference: VISION,
  find: bytesAsSaid(({ kind, path }) =>
    kind === 'image'
      ? {
          message:
            'The image data you provided does not represent a valid image. Please check your input and try again.',
          errorCode: 'invalid_base64_image',
        }
      : { message: `Invalid file data: '${path}.file_data'. The file is not a readable PDF.` },
  ),
});

const countedFiles = fileRule(TERMS, {
  id: 'OAR-FILE-3',
  title: 'A request holds no more than 500 pictures.',
  reference: VISION,
  find: fewImages((images) => ({
    message: `Too many images in request. A maximum of ${images} images is allowed.`,
  })),
});

const shortRequest = fileRule(TERMS, {
  id: 'OAR-FILE-4',
  title: 'The files of a request have no more than 50 MB.',
  reference: FILES,
  find: shortBody(() => ({ message: 'The total size of the files in the request exceeds the limit of 50 MB.' })),
});

const namedFiles: ResponsesRule = {
  id: 'OAR-FILE-5',
  title: 'The name of a file has an ending, which says what it is.',
  reference: FILES,
  kind: 'rejection',
  check: (body) =>
    placedItems(body).flatMap(({ item, at }) =>
      HOLDERS.flatMap((key) => {
        const parts: unknown = item[key];
        const list: readonly unknown[] = Array.isArray(parts) ? parts : [];
        return list.flatMap((part, index) => {
          if (!isPlainObject(part) || part['type'] !== 'input_file' || typeof part['file_data'] !== 'string') return [];
          const name: unknown = part['filename'];
          const isNamed = typeof name === 'string' && /\.[A-Za-z0-9]+$/.test(name);
          const message =
            'Invalid input: Expected context stuffing file type to be a supported format: .pdf but got none.';
          return isNamed ? [] : [rejection(`input[${at}].${key}[${index}]`, message)];
        });
      }),
    ),
};

export const FILE_RULES: readonly ResponsesRule[] = [takenTypes, rightBytes, countedFiles, shortRequest, namedFiles];
