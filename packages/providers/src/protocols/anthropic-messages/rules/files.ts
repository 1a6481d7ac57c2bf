import { isPlainObject, memoized } from '@bough/core';
import { claudeLimits } from '../../../files/limits.ts';
import type { FileInBody, FileTerms, Offence } from '../../../files/rules.ts';
import {
  fileInBody,
  fileRule,
  isKnownType,
  isLongerThan,
  isRefusedKind,
  isWhatItSays,
  ofKind,
  oldestForLength,
  oldestOver,
} from '../../../files/rules.ts';
import type { Body, WireBlock } from '../wire.ts';
import { blocksOf, callerOf, isResult, messagesOf } from '../wire.ts';
import type { ClaudeRule, RuleContext } from './context.ts';
import { DOCS, finding } from './context.ts';

const VISION = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const PDFS = 'https://platform.claude.com/docs/en/build-with-claude/pdf-support';

const filesIn = memoized((body: Body): readonly FileInBody[] =>
  messagesOf(body)
    .flatMap(({ blocks }) => blocks.flatMap((block) => [block, ...partsOf(block)]))
    .flatMap((block) => fileOf(block) ?? []),
);

const partsOf = (block: WireBlock): readonly WireBlock[] =>
  isResult(block) ? blocksOf(block.value['content'], `${block.path}.content`) : [];

function fileOf({ type, value, path }: WireBlock): FileInBody | null {
  const source = value['source'];
  if ((type !== 'image' && type !== 'document') || !isPlainObject(source) || source['type'] !== 'base64') return null;
  const { media_type: mediaType, data } = source;
  if (typeof mediaType !== 'string' || typeof data !== 'string') return null;
  return fileInBody(path, type, mediaType, data);
}

/** Every object that holds none of the files stays the same object, and keeps its spelling. */
function withLines(body: Body, lines: ReadonlyMap<string, string>): Body {
  const messages: unknown = body['messages'];
  if (lines.size === 0 || !Array.isArray(messages)) return body;
  const list: readonly unknown[] = messages;
  return { ...body, messages: list.map((message, index) => withLinesIn(message, `messages.${index}`, lines)) };
}

function withLinesIn(holder: unknown, path: string, lines: ReadonlyMap<string, string>): unknown {
  if (!isPlainObject(holder) || !Array.isArray(holder['content'])) return holder;
  if (![...lines.keys()].some((key) => key.startsWith(`${path}.content.`))) return holder;
  const content: readonly unknown[] = holder['content'];
  return {
    ...holder,
    content: content.map((block, at) => {
      const place = `${path}.content.${at}`;
      const text = lines.get(place);
      return text === undefined ? withLinesIn(block, place, lines) : { type: 'text', text };
    }),
  };
}

/** PDFs that the provider fetched. They go back as they came, and count like all others. */
const fetchedIn = (body: Body): readonly FileInBody[] =>
  messagesOf(body)
    .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'web_fetch_tool_result'))
    .flatMap(({ value, path }) => {
      const page = value['content'];
      const document = isPlainObject(page) ? page['content'] : null;
      if (!isPlainObject(document)) return [];
      return fileOf({ type: String(document['type']), value: document, path: `${path}.content.content` }) ?? [];
    });

/** What a person or a tool brought comes first: only that can be named instead. */
const allFilesIn = memoized((body: Body): readonly FileInBody[] => [...filesIn(body), ...fetchedIn(body)]);

const TERMS: FileTerms<Body, RuleContext> = {
  filesIn,
  withLines,
  limits: ({ model }) => claudeLimits(model),
  model: ({ model }) => model,
};

const COUNTING: FileTerms<Body, RuleContext> = { ...TERMS, filesIn: allFilesIn };

/** The provider calls a document by its type. */
const dataOf = ({ path, kind }: FileInBody): string =>
  `${path}.${kind === 'image' ? 'image' : 'pdf'}.source.base64.data`;

const takenTypes = fileRule(TERMS, {
  id: 'ANT-FILE-1',
  title: 'Files are of a kind and a type that the model takes.',
  reference: VISION,
  find: (files, limits, { model }) =>
    files.flatMap((file): readonly Offence[] => {
      const place = `${file.path}.source.base64.media_type`;
      if (isRefusedKind(file, model)) return [{ file, message: `${file.path}: ${model.id} does not take such files` }];
      if (isKnownType(file, limits)) return [];
      const message =
        file.kind === 'image'
          ? `${place}: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`
          : `${place}: Input should be 'application/pdf'`;
      return [{ file, message }];
    }),
});

const rightBytes = fileRule(TERMS, {
  id: 'ANT-FILE-2',
  title: 'The bytes of a file are what its type says.',
  reference: DOCS.errors,
  find: (files) =>
    files
      .filter((file) => !isWhatItSays(file))
      .map((file) => {
        const { mediaType, measured } = file;
        if (measured.isProtected) return { file, message: `${dataOf(file)}: The PDF specified is password protected.` };
        if (file.kind === 'document') return { file, message: `${dataOf(file)}: The PDF specified was not valid.` };
        const message =
          measured.mediaType === null
            ? 'Could not process image'
            : `${dataOf(file)}: Image does not match the provided media type ${mediaType}`;
        return { file, message };
      }),
});

const fittingImages = fileRule(TERMS, {
  id: 'ANT-FILE-3',
  title: 'No picture is too large, in bytes of base64 or in pixels.',
  reference: VISION,
  find: (files, { imageBytes = Infinity, imageSide }) =>
    ofKind(files, 'image').flatMap((file): readonly Offence[] => {
      const { length } = file.measured;
      if (length > imageBytes) {
        const megabytes = imageBytes / 1024 / 1024;
        const message = `${file.path}.image.source.base64: image exceeds ${megabytes} MB maximum: ${length} bytes > ${imageBytes} bytes`;
        return [{ file, message }];
      }
      if (!isLongerThan(imageSide, file)) return [];
      const message = `${dataOf(file)}: At least one of the image dimensions exceed max allowed size: ${imageSide} pixels`;
      return [{ file, message }];
    }),
});

const manyImages = fileRule(TERMS, {
  id: 'ANT-FILE-4',
  title: 'Among more than 20 pictures, none has a side of more than 2,000 pixels.',
  reference: VISION,
  find: (files, { manyImages: many }) => {
    const images = ofKind(files, 'image');
    if (many === undefined || images.length <= many.count) return [];
    return images
      .filter((file) => isLongerThan(many.side, file))
      .map((file) => ({
        file,
        message: `${dataOf(file)}: At least one of the image dimensions exceed max allowed size for many-image requests: ${many.side} pixels`,
      }));
  },
});

const countedFiles = fileRule(COUNTING, {
  id: 'ANT-FILE-5',
  title: 'A request holds no more pictures and pages of PDFs than the window of the model allows.',
  reference: PDFS,
  find: (files, { images, pages }) => [
    ...oldestOver(ofKind(files, 'image'), () => 1, images).map((file) => ({
      file,
      message: `${dataOf(file)}: A maximum of ${images} images may be provided`,
    })),
    ...oldestOver(ofKind(files, 'document'), ({ measured }) => measured.pages, pages).map((file) => ({
      file,
      message: `${dataOf(file)}: A maximum of ${pages} PDF pages may be provided`,
    })),
  ],
});

const shortRequest = fileRule(COUNTING, {
  id: 'ANT-FILE-6',
  title: 'A request has no more than 32 MB.',
  reference: DOCS.errors,
  find: (files, limits, _, body) =>
    oldestForLength(files, limits, body).map((file) => ({
      file,
      message: 'Request exceeds the maximum size',
      status: 413,
      errorCode: 'request_too_large',
    })),
});

const programsGetText = fileRule(TERMS, {
  id: 'ANT-FILE-7',
  title: 'A result that code asked for holds text only.',
  reference: DOCS.programmatic,
  find: (files, _, __, body) => {
    const blocks = messagesOf(body).flatMap((message) => message.blocks);
    const called = new Set(blocks.filter((block) => callerOf(block) !== null).map((block) => block.value['id']));
    const results = blocks.filter((block) => isResult(block) && called.has(block.value['tool_use_id']));
    return files
      .filter(({ path }) => results.some((result) => path.startsWith(`${result.path}.content.`)))
      .map((file) => ({
        file,
        message: `${file.path}: tool_result content for programmatic tool calls must be text`,
      }));
  },
});

/** What may be cited, of the user and of tools; what the provider fetched itself has its own rules. */
const citablesIn = (body: Body, kind: string): readonly WireBlock[] =>
  messagesOf(body)
    .flatMap(({ blocks }) => blocks.flatMap((block) => [block, ...partsOf(block)]))
    .filter(({ type }) => type === kind);

const CITABLE = ['document', 'search_result'];

const isCitable = ({ value: { citations } }: WireBlock): boolean =>
  isPlainObject(citations) && citations['enabled'] === true;

const citedAlike: ClaudeRule = {
  id: 'ANT-FILE-8',
  title: 'Citations are enabled for all documents of a request, or for none; for search results likewise.',
  reference: DOCS.citations,
  kind: 'rejection',
  check: (body) =>
    CITABLE.flatMap((kind) => {
      const blocks = citablesIn(body, kind);
      const other = blocks.find((block) => blocks[0] !== undefined && isCitable(block) !== isCitable(blocks[0]));
      if (other === undefined) return [];
      // The vendor names the rule; how the refusal is worded was not seen.
      const all = `all or none of the ${kind}s in a request`;
      return [
        finding(`${other.path}.citations`, `${other.path}.${kind}.citations: citations must be enabled on ${all}`),
      ];
    }),
};

const citedOrShaped: ClaudeRule = {
  id: 'ANT-FILE-9',
  title: 'A reply in a given format cites nothing.',
  reference: DOCS.citations,
  kind: 'rejection',
  check: (body) => {
    const output: unknown = body['output_config'];
    if (!isPlainObject(output) || !isPlainObject(output['format'])) return [];
    const cited = CITABLE.flatMap((kind) => citablesIn(body, kind)).find(isCitable);
    // The vendor names the rule; how the refusal is worded was not seen.
    return cited === undefined
      ? []
      : [finding('output_config.format', `output_config.format: ${cited.path}.citations cannot be enabled with it`)];
  },
};

export const fileRules: readonly ClaudeRule[] = [
  takenTypes,
  rightBytes,
  fittingImages,
  programsGetText,
  manyImages,
  countedFiles,
  shortRequest,
  citedAlike,
  citedOrShaped,
];
