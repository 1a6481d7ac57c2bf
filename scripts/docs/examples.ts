import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

// Examples in the documents are made by running the code. Each is in a fence after a comment with its name:
//
//   <!-- example: anthropic/next-request -->
//   ```json
//   …
//   ```
//
// A test regenerates them and compares. With `UPDATE_DOCS=1` it writes them instead.

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const EXAMPLE = /(<!-- example: (?<name>[\w./-]+) -->\n```\w+\n)(?<text>[\s\S]*?)(\n```)/g;

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The names of a document's examples, in order. */
export function exampleNames(document: string): readonly string[] {
  return [...document.matchAll(EXAMPLE)].flatMap(({ groups }) => groups?.['name'] ?? []);
}

/** The document with every example as it is now; one that no code produces is left alone. */
export function withExamples(document: string, examples: ReadonlyMap<string, string>): string {
  return document.replaceAll(EXAMPLE, (whole, head: string, name: string, _old: string, tail: string) => {
    const text = examples.get(name);
    return text === undefined ? whole : `${head}${text}${tail}`;
  });
}

/**
 * Fails if an example in the document is not what the code produces today, or if either side has one that the other
 * lacks.
 */
export function expectExamples(path: string, examples: ReadonlyMap<string, string>): void {
  const document = readDocument(path);
  expect([...exampleNames(document)].toSorted(), `the examples that ${path} names`).toEqual(
    [...examples.keys()].toSorted(),
  );
  const made = withExamples(document, examples);
  const test = `scripts/${path.replace(/md$/, 'test.ts')}`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(root, path), made);
  else expect(document, `${path} is behind the code: UPDATE_DOCS=1 npx vitest run ${test} writes it anew`).toBe(made);
}
