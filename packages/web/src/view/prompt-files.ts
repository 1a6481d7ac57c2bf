export interface PromptFile {
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
}

const FORMAT = 'bough-prompts';
const MAX_TITLE = 200;

export function toJson(prompts: readonly PromptFile[]): string {
  const plain = prompts.map(({ title, text, tags }) => ({ title, text, tags }));
  return `${JSON.stringify({ format: FORMAT, version: 1, prompts: plain }, null, 2)}\n`;
}

/** A heading per prompt, its tags, and its text in a fence that nothing in it can close. */
export function toMarkdown(prompts: readonly PromptFile[]): string {
  return prompts
    .map(({ title, text, tags }) => {
      const longest = Math.max(2, ...[...text.matchAll(/~{3,}/g)].map(([fence]) => fence.length));
      const fence = '~'.repeat(longest + 1);
      const tagged = tags.length === 0 ? '' : `Tags: ${tags.join(', ')}\n\n`;
      return `## ${title.replaceAll(/\s+/g, ' ')}\n\n${tagged}${fence}\n${text}\n${fence}\n`;
    })
    .join('\n');
}

/** The prompts in a file of either kind; none if it holds none. A Markdown file without fences is one prompt. */
export function fromFile(name: string, content: string): readonly PromptFile[] {
  const found = /^\s*[[{]/.test(content) ? fromJson(content) : fromMarkdown(name, content.replaceAll('\r\n', '\n'));
  return found.filter(({ title, text }) => title !== '' && text.trim() !== '');
}

function fromJson(content: string): readonly PromptFile[] {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return [];
  }
  const list = isObject(value) ? value['prompts'] : value;
  return Array.isArray(list) ? list.flatMap((each: unknown) => promptIn(each)) : [];
}

/** Other programs call the title a name, and the text a prompt or the content. */
function promptIn(value: unknown): readonly PromptFile[] {
  if (!isObject(value)) return [];
  const title = firstText(value['title'], value['name']);
  const text = firstText(value['text'], value['prompt'], value['content']);
  const tags = Array.isArray(value['tags']) ? value['tags'].filter((tag) => typeof tag === 'string') : [];
  return [{ title: title.trim().slice(0, MAX_TITLE), text, tags: cleanTags(tags) }];
}

function fromMarkdown(name: string, content: string): readonly PromptFile[] {
  const sections = content.matchAll(
    /^#{1,6} +(.+)\n\s*(?:Tags?: *(.*)\n\s*)?(~{3,}|`{3,})[^\n]*\n([^]*?)\n\3[ \t]*$/gm,
  );
  const found = [...sections].map(([, title = '', tags = '', , text = '']) => ({
    title: title.trim().slice(0, MAX_TITLE),
    text,
    tags: cleanTags(tags.split(',')),
  }));
  if (found.length > 0) return found;
  const heading = /^#{1,6} +(.+)\n/.exec(content.trimStart());
  const text = heading === null ? content : content.trimStart().slice(heading[0].length);
  const title = heading?.[1] ?? name.replace(/\.[^.]*$/, '');
  return [{ title: title.trim().slice(0, MAX_TITLE), text: text.trim(), tags: [] }];
}

/** Tags as somebody typed or wrote them. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  return [...new Set(tags.map((tag) => tag.trim().slice(0, MAX_TITLE)).filter((tag) => tag !== ''))].slice(0, 20);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string') ?? '';
}
