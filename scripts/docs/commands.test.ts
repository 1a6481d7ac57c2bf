import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '@bough/api';
import { isPlainObject } from '@bough/core';
import { DOCUMENTS, documentFences, readDocument } from './documents.ts';
import type { Fence } from './fences.ts';
import { notRunReason } from './fences.ts';
import type { Installed } from './installed.ts';
import { installBough } from './installed.ts';
import { difference, differenceOfLines } from './likeness.ts';
import { NOT_RUN } from './not-run.ts';
import type { RanDocument } from './run-document.ts';
import { isRun, LONGEST_MS, runDocument, STOP_MS } from './run-document.ts';

const SHELLS = new Set(['sh', 'bash', 'shell', 'console']);

let bough: Installed;
beforeAll(async () => {
  bough = await installBough();
});
afterAll(() => bough.dispose());

describe('the commands of the documents', () => {
  it('are all in fences that a test reads', () => {
    const strangers = DOCUMENTS.flatMap(documentFences).filter(
      (fence) => SHELLS.has(fence.language) && (fence.language !== 'sh' || !isKnownInfo(fence)),
    );
    expect(strangers.map(placeOf)).toEqual([]);
  });

  it('are run, but for those that are listed with their reasons', () => {
    const left = DOCUMENTS.flatMap(documentFences).flatMap((fence) => {
      const reason = notRunReason(fence);
      return reason === null ? [] : [{ document: fence.document, first: fence.body.split('\n')[0], reason }];
    });
    expect(left).toEqual(NOT_RUN);
  });

  it.each(DOCUMENTS.filter((path) => documentFences(path).some(isRun)))(
    'of %s succeed, from top to bottom, and give what it says',
    async (path) => {
      const fences = documentFences(path);
      // Operations are about PostgreSQL; elsewhere it would cost a start for every command.
      const result = await runDocument(
        fences,
        bough.program,
        path === 'docs/operations.md' ? {} : { BOUGH_STORE: 'files' },
      );
      expect(result.code, reportOf(result)).toBe(0);
      expect(untrueReplies(fences, result)).toEqual([]);
      if (path === 'docs/http-api.md') expect(routesWithoutExample(result)).toEqual([]);
    },
    LONGEST_MS + 2 * STOP_MS,
  );

  it('name every route of the HTTP API, and none that is not there', () => {
    const documented = [...readDocument('docs/http-api.md').matchAll(/^### ([A-Z]+ \/\S+)$/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(ROUTES.map(({ name }) => name).toSorted());
  });
});

const ROUTES = Object.values(routes).map(({ method, path }) => ({
  name: `${method.toUpperCase()} ${path}`,
  method: method.toUpperCase(),
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Reads the server's own log: which routes did the examples reach, and did they succeed? */
function routesWithoutExample({ err }: RanDocument): readonly string[] {
  const answered = err.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    const entry: unknown = JSON.parse(line);
    return isPlainObject(entry) && entry['event'] === 'request' && Number(entry['status']) < 300 ? [entry] : [];
  });
  return ROUTES.filter(
    ({ method, pattern }) =>
      !answered.some((entry) => entry['method'] === method && pattern.test(String(entry['path']))),
  ).map(({ name }) => name);
}

/** A `json` or `ndjson` fence after a command says what the command prints. */
function untrueReplies(fences: readonly Fence[], { ran }: RanDocument): readonly string[] {
  return fences.flatMap((fence, index) => {
    const before = fences[index - 1];
    if (before === undefined || fence.info !== '') return [];
    const out = ran.find((each) => each.fence === before)?.out;
    if (out === undefined || !['json', 'ndjson'].includes(fence.language)) return [];
    const told =
      fence.language === 'json'
        ? difference(JSON.parse(fence.body), JSON.parse(out))
        : differenceOfLines(linesOf(fence.body), linesOf(out));
    return told === null ? [] : [`${placeOf(fence)}: ${told}`];
  });
}

function linesOf(text: string): readonly unknown[] {
  return text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

function isKnownInfo(fence: Fence): boolean {
  return fence.info === '' || notRunReason(fence) !== null;
}

function placeOf({ document, line }: Fence): string {
  return `${document}:${line}`;
}

function reportOf({ last, ran, err }: RanDocument): string {
  const words = err.split('\n').filter((line) => !line.startsWith('{"time"'));
  return [
    `${last === null ? 'the beginning' : placeOf(last)} failed:`,
    last?.body,
    `standard output: ${ran.at(-1)?.out.slice(-2000)}`,
    `standard error: ${words.slice(-30).join('\n')}`,
  ].join('\n');
}
