import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fitted } from '../fitted.ts';
import { PDF_BUDGET } from '../limits.ts';
import type { Bench } from '../testing/index.ts';
import { openBench } from '../testing/index.ts';
import { inflatingPdf, pdfOf } from '../testing/pdf.ts';
import type { PdfBudget } from './index.ts';
import { fitPdf } from './index.ts';

let bench: Bench;
let root: string;
beforeAll(async () => {
  bench = await openBench();
  root = await mkdtemp(join(tmpdir(), 'bough-pdf-'));
});
afterAll(async () => {
  await bench.close();
  await rm(root, { recursive: true, force: true });
});

const textOf = async (fitted: Fitted): Promise<string> =>
  'text' in fitted && fitted.text !== undefined ? readFile(fitted.text.path, 'utf8') : '';

const fitWith = async (bytes: Buffer, budget: Partial<PdfBudget>): Promise<Fitted> => {
  const directory = await mkdtemp(join(root, 'one-'));
  const path = join(directory, 'given');
  await writeFile(path, bytes);
  return fitPdf({ name: 'a.pdf', path, size: bytes.length, directory }, { ...PDF_BUDGET, ...budget });
};

describe('a PDF', () => {
  it('FIT-8: goes as it is, with its pages counted and its text page by page', async () => {
    const bytes = pdfOf(['The first page', 'The second page']);
    const fitted = await bench.fit('paper.pdf', bytes);
    expect(fitted).toMatchObject({ type: 'document', name: 'paper.pdf', pages: 2, notes: [] });
    expect(fitted.file.mediaType).toBe('application/pdf');
    expect(await readFile(fitted.file.path)).toEqual(bytes);
    expect(await textOf(fitted)).toBe('[Page 1]\nThe first page\n\n[Page 2]\nThe second page\n');
    expect(fitted).toHaveProperty('text.characters', (await textOf(fitted)).length);
    expect(fitted.original).toBeUndefined();
  });

  it('FIT-8: is recognised by its bytes, and gets the name that providers go by', async () => {
    expect(await bench.fit('paper', pdfOf(['x']), 'application/octet-stream')).toMatchObject({ name: 'paper.pdf' });
  });

  it('FIT-8: without text it says so, and has none', async () => {
    const fitted = await bench.fit('scan.pdf', pdfOf(['', '']));
    expect(fitted).not.toHaveProperty('text');
    expect(fitted.notes).toEqual([{ code: 'no_text', message: expect.stringContaining('no text') }]);
  });

  it('FIT-12: the same PDF gives the same text', async () => {
    const bytes = pdfOf(['One', 'Two']);
    expect(await textOf(await bench.fit('a.pdf', bytes))).toBe(await textOf(await bench.fit('a.pdf', bytes)));
  });
});

describe('a PDF that cannot be sent', () => {
  it.each([
    ['one that is only a head', Buffer.from('%PDF-1.7\nnothing else')],
    ['one that is cut in half', pdfOf(['x']).subarray(0, 200)],
  ])('FIT-10: %s is damaged', async (_, bytes) => {
    await expect(bench.fit('a.pdf', bytes)).rejects.toMatchObject({
      code: 'document_unreadable',
      message: expect.stringContaining('save it again') as string,
    });
  });

  it('FIT-10: a protected one is told to be saved without protection', async () => {
    const key = '<0000000000000000000000000000000000000000000000000000000000000000>';
    const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >> /ID [<00> <00>]`;
    await expect(bench.fit('a.pdf', pdfOf(['x'], { trailer: encrypt }))).rejects.toMatchObject({
      code: 'document_protected',
      message: expect.stringContaining('without protection') as string,
    });
  });

  it('FIT-11: one that inflates without end is given up, and the memory stays', async () => {
    const bytes = inflatingPdf(200);
    expect(bytes.length).toBeLessThan(1_000_000);
    const before = process.memoryUsage().rss;
    await expect(fitWith(bytes, { bufferBytes: 64 * 1024 * 1024 })).rejects.toMatchObject({
      code: 'document_too_large',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('FIT-11: one that takes too long is given up, and the event loop goes on meanwhile', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 10);
    const pages = Array.from({ length: 1_500 }, (_, page) => `Page ${page}`);
    await expect(fitWith(pdfOf(pages), { milliseconds: 300 })).rejects.toMatchObject({
      code: 'document_too_large',
      message: expect.stringContaining('Split it') as string,
    });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it('FIT-11: one with more pages than are read is told how many it has', async () => {
    const pages = Array.from({ length: 2_001 }, () => 'x');
    await expect(bench.fit('a.pdf', pdfOf(pages))).rejects.toMatchObject({
      code: 'document_too_large',
      message: expect.stringContaining('2,001 pages') as string,
    });
  });

  it('FIT-11: one that needs more heap than it may have ends alone', async () => {
    const pages = Array.from({ length: 1_500 }, (_, page) => `Page ${page}`);
    await expect(fitWith(pdfOf(pages), { heapMegabytes: 12 })).rejects.toMatchObject({ code: 'document_too_large' });
    expect(await fitWith(pdfOf(['Fine']), {})).toMatchObject({ pages: 1 });
  });
});
