import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FitError } from '../errors.ts';
import type { FitNote, Fitted, FittedText, Given } from '../fitted.ts';
import { FIT_LIMITS, PDF_BUDGET } from '../limits.ts';
import { withExtension } from '../name.ts';
import { WORKER_CODE } from './worker-code.ts';

export type PdfBudget = { readonly [Each in keyof typeof PDF_BUDGET]: number };

type Refusal = 'document_unreadable' | 'document_protected' | 'document_too_large';
type Answer =
  | { readonly refused: Refusal; readonly why?: string; readonly pages?: number }
  | { readonly pages: number; readonly hasText: boolean; readonly textPages: number };

/** A PDF goes as it is; its text is taken out for models that do not read PDFs. */
export async function fitPdf(given: Given, budget: PdfBudget = PDF_BUDGET): Promise<Fitted> {
  const path = join(given.directory, 'text');
  const answer = await extract(given.path, path, budget);
  if ('refused' in answer) throw refusal(given, answer);
  const { pages, hasText, textPages } = answer;
  if (pages === 0) throw refusal(given, { refused: 'document_unreadable', why: 'it has no pages' });
  const text = hasText ? await textAt(path) : undefined;
  const notes: FitNote[] = [];
  if (!hasText) {
    const message = `${given.name} holds no text, only pictures of its pages: models that read PDFs can see them.`;
    notes.push({ code: 'no_text', message });
  }
  if (textPages < pages) {
    const message = `Only the text of the first ${textPages} pages of ${given.name} was taken out.`;
    notes.push({ code: 'text_cut', message, pages: textPages });
  }
  return {
    type: 'document',
    name: withExtension(given.name, '.pdf'),
    file: { path: given.path, mediaType: 'application/pdf', size: given.size },
    pages,
    ...(text === undefined ? {} : { text }),
    notes,
  };
}

async function textAt(path: string): Promise<FittedText> {
  const bytes = await readFile(path);
  return { path, mediaType: 'text/plain', size: bytes.length, characters: bytes.toString('utf8').length };
}

/** In a thread with bounds on its time and memory: a PDF is a program of strangers. */
async function extract(path: string, out: string, budget: PdfBudget): Promise<Answer> {
  const unpdf = readerPath();
  const worker = new Worker(WORKER_CODE, {
    eval: true,
    workerData: {
      unpdf,
      path,
      out,
      bufferBytes: budget.bufferBytes,
      pages: FIT_LIMITS.pages,
      characters: FIT_LIMITS.characters,
    },
    resourceLimits: { maxOldGenerationSizeMb: budget.heapMegabytes, maxYoungGenerationSizeMb: 32 },
    // What a parser prints about a broken file is no business of the server's log.
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Answer>((resolve) => {
      timer = setTimeout(() => resolve({ refused: 'document_too_large' }), budget.milliseconds);
      worker.once('message', resolve);
      // Out of its heap, above all.
      worker.once('error', (error: Error) => resolve({ refused: 'document_too_large', why: error.message }));
      worker.once('exit', () => resolve({ refused: 'document_unreadable', why: 'its reader ended' }));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** Resolved here: code that runs from a text has no place from which it could look for packages. */
function readerPath(): string {
  try {
    return createRequire(import.meta.url).resolve('unpdf');
  } catch (cause) {
    throw new FitError(
      'fitting_unavailable',
      'PDFs cannot be attached here: the package "unpdf" is missing. Install Bough again, or attach the text of the PDF.',
      { cause },
    );
  }
}

function refusal({ name }: Given, { refused, why, pages }: Extract<Answer, { readonly refused: Refusal }>): FitError {
  const sentences: Readonly<Record<Refusal, string>> = {
    document_unreadable:
      `${name} cannot be read as a PDF: it is damaged or not whole. Open it in a PDF program and save it again, or get ` +
      'it again from where it came.',
    document_protected:
      `${name} is protected, and no provider takes a protected PDF. Open it with its password and save or print it as a ` +
      'PDF without protection.',
    document_too_large:
      pages === undefined
        ? `${name} takes too much time or memory to read. Split it, or print it as a new PDF.`
        : `${name} has ${pages.toLocaleString('en')} pages; at most ${FIT_LIMITS.pages.toLocaleString('en')} are read. Split it.`,
  };
  return new FitError(refused, sentences[refused], why === undefined ? {} : { cause: new Error(why) });
}
