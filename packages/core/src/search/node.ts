import type { ContentBlock, StoredText } from '../blocks/index.ts';
import { isAttachedBlock, isImageBlock, isKnownBlock, isPlainObject, isToolUseBlock } from '../blocks/index.ts';
import { deriveThinkingFromBlocks } from '../derive/index.ts';
import type { ProjectId, TreeNode } from '../entities/index.ts';
import { sha256 } from '../hash/index.ts';
import { providerToolsOf } from '../provider-tools/index.ts';
import type { Lexeme } from './lexemes.ts';
import { addLexemes, neededLexemes } from './lexemes.ts';
import { foldText, isAscii } from './fold.ts';
import type { SearchQuery } from './query.ts';

/** What of a node, or of a name, was found. */
export const FOUND_IN = ['name', 'text', 'reasoning', 'tool', 'file', 'note'] as const;
export type FoundIn = (typeof FOUND_IN)[number];

/** A text of a node that search looks at. */
export interface SearchedText {
  readonly where: FoundIn;
  readonly text: string;
  /** The name of the file that it is from. */
  readonly file?: string;
}

/** What search needs of a node: never its raw response. */
export type SearchedNode = Pick<TreeNode, 'role' | 'contentBlocks' | 'content' | 'modelUsed'>;

/** The texts of a node itself, and the names of its files. What the files say is kept elsewhere: see `fileTextsOf`. */
export function searchedTexts({ role, contentBlocks, content }: SearchedNode): readonly SearchedText[] {
  const texts: SearchedText[] = [
    { where: role === 'tool' ? 'tool' : 'text', text: content },
    { where: 'reasoning', text: deriveThinkingFromBlocks(contentBlocks) },
    { where: 'tool', text: toolTexts(contentBlocks).join('\n') },
  ];
  for (const block of contentBlocks) {
    if (!isAttachedBlock(block)) continue;
    const alt = isImageBlock(block) && block.alt !== undefined ? `\n${block.alt}` : '';
    texts.push({ where: 'file', text: `${block.name}${alt}`, file: block.name });
  }
  return texts.filter(({ text }) => text !== '');
}

/** Where the texts of attached files are kept, each once. */
export function fileTextsOf(blocks: readonly ContentBlock[]): readonly { name: string; text: StoredText }[] {
  const found = new Map<string, { name: string; text: StoredText }>();
  for (const block of blocks) {
    if (!isAttachedBlock(block) || !('text' in block) || block.text === undefined) continue;
    if (!found.has(block.text.hash)) found.set(block.text.hash, { name: block.name, text: block.text });
  }
  return [...found.values()];
}

function toolTexts(blocks: readonly ContentBlock[]): readonly string[] {
  const texts: string[] = [];
  for (const block of blocks) {
    if (!isToolUseBlock(block)) continue;
    texts.push(block.name);
    collect(block.parameters, texts);
  }
  if (blocks.every(isKnownBlock)) return texts;
  for (const { name, queries, urls, code, sources, output, files, error } of providerToolsOf(blocks))
    collect([name, queries, urls, code, sources.map(({ title, url }) => [title, url]), output, files, error], texts);
  return texts;
}

/** Names and values as they are: JSON would escape line breaks and quotes in the middle of code. */
function collect(value: unknown, texts: string[], depth = 0): void {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'number') texts.push(String(value));
  else if (depth > DEEPEST) return;
  else if (Array.isArray(value)) for (const item of value) collect(item, texts, depth + 1);
  else if (isPlainObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      texts.push(key);
      collect(item, texts, depth + 1);
    }
  }
}
const DEEPEST = 50;

// Lexemes that say what a node is begin with "!", which no lexeme of a text does.
const FILE = '!file';
/** Too many different words for an index: such a node is looked at whatever is searched for. */
export const OVERFLOW = '!overflow';
/** PostgreSQL takes a list of lexemes of at most a megabyte. */
const MOST_BYTES = 900_000;

export const roleLexeme = (role: string): string => `!role:${role}`;
export const projectLexeme = (project: ProjectId): string => `!project:${sha256(project).slice(0, 16)}`;
const modelLexeme = (word: string): string => `!model:${word}`;

/** Everything that an index keeps of a node. `more`: the texts of its files. */
export function nodeLexemes(node: SearchedNode, more: readonly string[] = []): readonly string[] {
  const told = new Set([roleLexeme(node.role)]);
  const words = new Set<string>();
  addLexemes(node.modelUsed ?? '', words);
  for (const word of words) told.add(modelLexeme(word));
  if (node.contentBlocks.some(isAttachedBlock)) told.add(FILE);
  const lexemes = textLexemes([...searchedTexts(node).map(({ text }) => text), ...more]);
  return [...told, ...(lexemes ?? [OVERFLOW])];
}

/** Null where there are more than an index takes. */
function textLexemes(texts: readonly string[]): readonly string[] | null {
  const lexemes = new Set<string>();
  for (const text of texts) addLexemes(text, lexemes);
  let bytes = 0;
  // In UTF-8 a code unit takes at most three bytes.
  for (const lexeme of lexemes) bytes += isAscii(lexeme) ? lexeme.length : lexeme.length * 3;
  return bytes > MOST_BYTES ? null : [...lexemes];
}

/** What an index keeps of a project or a branch. */
export function nameLexemes(...names: readonly (string | null)[]): readonly string[] {
  return textLexemes(names.flatMap((name) => name ?? [])) ?? [OVERFLOW];
}

/** What a candidate must have, each group at least one of its lexemes. */
export interface Candidates {
  readonly words: readonly Lexeme[];
  readonly told: readonly (readonly Lexeme[])[];
}

export function candidatesOf({ terms, filters }: SearchQuery): Candidates {
  const { roles, models, hasFile } = filters;
  const told: (readonly Lexeme[])[] = [];
  if (roles !== undefined) told.push(roles.map((role) => exactly(roleLexeme(role))));
  for (const model of models ?? []) {
    for (const { text } of neededLexemes(foldText(model), true)) told.push([{ text: modelLexeme(text), prefix: true }]);
  }
  if (hasFile) told.push([exactly(FILE)]);
  return { words: terms.flatMap(({ lexemes }) => lexemes), told };
}

export const exactly = (text: string): Lexeme => ({ text, prefix: false });
