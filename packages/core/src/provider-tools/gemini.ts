import type { Json } from './read.ts';
import {
  distinct,
  lineAt,
  linesAt,
  objectAt,
  objectsAt,
  pictureOf,
  sourceOf,
  stringAt,
  textAt,
  toolUse,
  unique,
  webAddress,
} from './read.ts';
import type { ProviderToolKind, ProviderToolUse, Source } from './types.ts';

const KINDS: Readonly<Record<string, ProviderToolKind>> = {
  GOOGLE_SEARCH_WEB: 'web_search',
  GOOGLE_SEARCH: 'web_search',
  FILE_SEARCH: 'file_search',
  URL_CONTEXT: 'web_fetch',
  CODE_EXECUTION: 'code_execution',
};

export function geminiCode(block: Json): ProviderToolUse {
  return toolUse({ kind: 'code_execution', code: textAt(objectAt(objectAt(block, 'part'), 'executableCode'), 'code') });
}

export function geminiOutput(block: Json): ProviderToolUse {
  const result = objectAt(objectAt(block, 'part'), 'codeExecutionResult');
  const outcome = lineAt(result, 'outcome') ?? 'OUTCOME_OK';
  const failed = outcome !== 'OUTCOME_OK';
  return toolUse({
    kind: 'code_execution',
    output: textAt(result, 'output'),
    error: failed ? outcome : null,
    state: failed ? 'failed' : 'done',
  });
}

export function geminiCall(block: Json): ProviderToolUse {
  const call = objectAt(objectAt(block, 'part'), 'toolCall');
  const args = objectAt(call, 'args');
  const query = lineAt(args, 'query');
  const asked = query === null ? linesAt(args, 'queries') : [query];
  const of = kindOf(call);
  if (of.kind !== 'web_fetch') return toolUse({ ...of, queries: asked });
  // What is read is an address, whatever the argument is called.
  const urls = unique([...asked, ...linesAt(args, 'urls')].flatMap((text) => webAddress(text) ?? []));
  return toolUse({ ...of, urls, queries: asked.filter((text) => webAddress(text) === null) });
}

export function geminiResponse(block: Json): ProviderToolUse {
  return toolUse({ ...kindOf(objectAt(objectAt(block, 'part'), 'toolResponse')), state: 'done' });
}

/** The id by which a response answers its call. */
export function geminiCallId(block: Json): string | null {
  const part = objectAt(block, 'part');
  return stringAt(objectAt(part, 'toolCall'), 'id') ?? stringAt(objectAt(part, 'toolResponse'), 'id');
}

function kindOf(call: Json): Pick<ProviderToolUse, 'kind' | 'name'> {
  const type = lineAt(call, 'toolType');
  const kind = type !== null && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  return kind === undefined ? { kind: 'other', name: type } : { kind, name: null };
}

/** A picture that the model drew, or that its code did. Where it is kept as a file, the file is what people see. */
export function geminiPicture(block: Json): ProviderToolUse | null {
  const { mimeType, data } = objectAt(objectAt(block, 'part'), 'inlineData');
  const pictures = pictureOf(mimeType, data);
  return pictures.length === 0 ? null : toolUse({ kind: 'image_generation', pictures, state: 'done' });
}

/** What a reply is grounded on: pages that were found, or files. */
export function geminiGrounding(block: Json): readonly ProviderToolUse[] {
  const data = objectAt(block, 'data');
  const queries = unique(linesAt(data, 'webSearchQueries'));
  const chunks = objectsAt(data, 'groundingChunks');
  const pages = chunks.filter((chunk) => chunk['retrievedContext'] === undefined);
  const kept = chunks.filter((chunk) => chunk['retrievedContext'] !== undefined);
  const uses: ProviderToolUse[] = [];
  if (queries.length > 0 || pages.length > 0) {
    uses.push(toolUse({ kind: 'web_search', queries, sources: distinct(pages.map(chunkSource)), state: 'done' }));
  }
  if (kept.length > 0) {
    const files = unique(kept.flatMap((chunk) => fileOf(objectAt(chunk, 'retrievedContext'))));
    const fileQueries = unique(linesAt(data, 'retrievalQueries'));
    uses.push(toolUse({ kind: 'file_search', queries: fileQueries, files, state: 'done' }));
  }
  return uses;
}

/** The name of a file, or of the store that it lies in: not every file has one. */
function fileOf(context: Json): readonly string[] {
  const name = lineAt(context, 'title') ?? lineAt(context, 'fileSearchStore');
  return name === null ? [] : [name];
}

export function chunkSource(chunk: Json): Source | null {
  for (const key of ['web', 'maps', 'retrievedContext', 'image']) {
    const about = objectAt(chunk, key);
    const source = sourceOf(about['uri'] ?? about['sourceUri'], about['title']);
    if (source !== null) return source;
  }
  return null;
}

/** The pages that the model was told to read. */
export function geminiPages(block: Json): ProviderToolUse | null {
  const pages = objectsAt(objectAt(block, 'data'), 'urlMetadata');
  const urls = unique(pages.flatMap((page) => webAddress(page['retrievedUrl']) ?? []));
  if (urls.length === 0) return null;
  const bad = pages.flatMap((page) => {
    const status = lineAt(page, 'urlRetrievalStatus') ?? '';
    return status === '' || status === 'URL_RETRIEVAL_STATUS_SUCCESS' ? [] : [status];
  });
  const failed = bad.length === pages.length;
  return toolUse({ kind: 'web_fetch', urls, error: bad[0] ?? null, state: failed ? 'failed' : 'done' });
}
