import { stat } from 'node:fs/promises';
import { secondsOf } from './audio/index.ts';
import { FitError } from './errors.ts';
import type { FitNote, Fitted, Given } from './fitted.ts';
import { fitName } from './name.ts';
import { fitPdf } from './pdf/index.ts';
import { fitPicture } from './picture/index.ts';
import { createQueue } from './queue/index.ts';
import { isPdf, recognise, UNKNOWN_TYPE } from './recognise/index.ts';
import { fitText, readText, seemsText } from './text/index.ts';

export interface FitInput {
  readonly name: string;
  /** What the sender says that it is; only used to notice that it is something else. */
  readonly declaredType?: string | undefined;
  readonly path: string;
  /** Where what is made of the file is written; whoever calls removes it. */
  readonly directory: string;
}

/** Decoded pictures and read PDFs are large: one of each at a time keeps the server's memory flat. */
const pictures = createQueue(1);
const documents = createQueue(1);

/**
 * Makes of an attached file, once, what every provider takes. The same bytes give the same result. Throws `FitError`
 * for a file that cannot be sent.
 */
export async function fit({ name: givenName, declaredType, path, directory }: FitInput): Promise<Fitted> {
  const { size } = await stat(path);
  const given: Given = { name: fitName(givenName), path, size, directory };
  const { name } = given;
  if (size === 0) throw new FitError('file_empty', `${name} is empty. Check that it was saved, and attach it again.`);
  if (await isPdf(path)) return documents.run(() => fitPdf(given));
  // Before anything else: two letters are enough for a text to look like a bitmap.
  const text = await readText(path);
  const { kind, mediaType } =
    text === null ? await recognise(path) : ({ kind: 'text', mediaType: 'text/plain' } as const);
  const claimed = claimOf(name, declaredType);
  if (claimed !== undefined && claimed !== kind)
    throw new FitError(
      'file_not_what_it_says',
      `${name} says that it is ${CLAIMS[claimed]}, but its content is ${shown(kind, mediaType)}. Give it its real name, ` +
        'or get the file again.',
    );
  if (text !== null) return fitText(given, text);
  if (kind === 'picture') return pictures.run(() => fitPicture(given, mediaType));
  const file = { path, mediaType, size };
  if (kind === 'other') {
    const isOldText = mediaType === UNKNOWN_TYPE && (await seemsText(path));
    return { type: 'file', name, file, notes: isOldText ? [notUtf8(name)] : [] };
  }
  const seconds = await secondsOf(path, mediaType, size);
  return { type: 'audio', name, file, ...(seconds === undefined ? {} : { seconds }), notes: [] };
}

function notUtf8(name: string): FitNote {
  const message = `${name} seems to be a text, but not in UTF-8: models get its name alone. Save it as UTF-8, and attach it again.`;
  return { code: 'not_utf8', message };
}

const CLAIMS = { picture: 'a picture', document: 'a PDF' } as const;
const PICTURE_NAME = /\.(?:jpe?g|png|gif|webp|bmp|tiff?|avif|heic|heif)$/i;

/** A wrong one is told: an error page that was saved as `photo.png` would be sent as text without anybody noticing. */
function claimOf(name: string, declaredType: string | undefined): keyof typeof CLAIMS | undefined {
  if (PICTURE_NAME.test(name)) return 'picture';
  if (/\.pdf$/i.test(name) || declaredType === 'application/pdf') return 'document';
  return declaredType?.startsWith('image/') === true && !declaredType.startsWith('image/svg') ? 'picture' : undefined;
}

function shown(kind: string, mediaType: string): string {
  if (kind === 'text') return 'text';
  return mediaType === UNKNOWN_TYPE ? 'not known' : mediaType;
}
