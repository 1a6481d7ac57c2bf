import type { ModelInfo } from '../models/model.ts';
import type { Finding, Rule } from '../rulebook/rule.ts';
import type { Limits } from './limits.ts';
import type { Measured } from './measure.ts';
import { dataUrlOf, measure } from './measure.ts';
import { placeIn, placeLength, segmentsOf } from './place.ts';

/** A file in a body, wherever the protocol puts it. */
export interface FileInBody {
  /** A path into the body, such as `messages.3.content.0`. */
  readonly path: string;
  readonly kind: 'image' | 'document' | 'audio';
  /** What the request says that it is. */
  readonly mediaType: string;
  readonly measured: Measured;
  readonly name: string | null;
}

export function fileInBody(path: string, kind: FileInBody['kind'], mediaType: string, data: string): FileInBody {
  return { path, kind, mediaType, measured: measure(data), name: placeIn(data)?.name ?? null };
}

/** How a protocol finds files in a body, and puts lines in their places. */
export interface FileTerms<Body extends object, Context> {
  readonly filesIn: (body: Body) => readonly FileInBody[];
  /** The body with a text in the place of each file whose path is named. */
  readonly withLines: (body: Body, lines: ReadonlyMap<string, string>) => Body;
  readonly limits: (context: Context) => Limits;
  readonly model: (context: Context) => Takes;
}

export type Takes = Pick<ModelInfo, 'id' | 'canSee' | 'canReadPdfs' | 'canHear'>;

/** A file that breaks a rule. */
export interface Offence {
  readonly file: FileInBody;
  readonly message: string;
  readonly status?: number;
  readonly errorCode?: string;
}

export interface FileRule<Body extends object, Context> {
  readonly id: string;
  readonly title: string;
  readonly reference: string;
  readonly find: (files: readonly FileInBody[], limits: Limits, context: Context, body: Body) => readonly Offence[];
}

/** A rule about files. Its repair names each offender in a line of text, which says that there was one. */
export function fileRule<Body extends object, Context>(
  terms: FileTerms<Body, Context>,
  { find, ...rule }: FileRule<Body, Context>,
): Rule<Body, Context> {
  const offences = (body: Body, context: Context): readonly Offence[] => {
    const files = terms.filesIn(body);
    return files.length === 0 ? [] : find(files, terms.limits(context), context, body);
  };
  return {
    ...rule,
    kind: 'rejection',
    check: (body, context) =>
      offences(body, context).map(({ file, message, status = 400, errorCode }): Finding => ({
        path: file.path,
        message,
        status,
        ...(errorCode !== undefined && { errorCode }),
      })),
    repair: (body, context) =>
      terms.withLines(body, new Map(offences(body, context).map(({ file }) => [file.path, lineOf(file)]))),
  };
}

const NOUNS = { image: 'picture', document: 'document', audio: 'audio' } as const;

function lineOf({ kind, name, measured: { width, height } }: FileInBody): string {
  const facts = [name?.replace(/[\s[\]]+/g, ' ').trim() ?? '', width > 0 ? `${width} × ${height}` : ''];
  const told = facts.filter((fact) => fact !== '');
  return `[${[NOUNS[kind], told.join(', ')].filter((part) => part !== '').join(': ')}]`;
}

/** Whether the model is known not to take files of this kind. */
export function isRefusedKind({ kind }: FileInBody, { canSee, canReadPdfs, canHear }: Takes): boolean {
  return { image: canSee, document: canReadPdfs, audio: canHear }[kind] === false;
}

export function isKnownType({ kind, mediaType }: FileInBody, { imageTypes, audioTypes }: Limits): boolean {
  if (kind === 'document') return mediaType === 'application/pdf';
  return (kind === 'image' ? imageTypes : audioTypes).includes(mediaType);
}

/** Whether the bytes are what the request says, and can be read. */
export function isWhatItSays({ mediaType, measured }: FileInBody): boolean {
  if (!measured.isBase64 || measured.isProtected) return false;
  // Types whose first bytes are not looked at here are believed.
  if (measured.mediaType === null) return !SNIFFED.has(mediaType);
  return measured.mediaType === mediaType;
}

const SNIFFED: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'audio/wav',
]);

export const isLongerThan = (side: number | undefined, { kind, measured }: FileInBody): boolean =>
  kind === 'image' && side !== undefined && Math.max(measured.width, measured.height) > side;

export const ofKind = (files: readonly FileInBody[], kind: FileInBody['kind']): readonly FileInBody[] =>
  files.filter((file) => file.kind === kind);

/** The oldest files that have to go so that the rest comes to no more than `most`. */
export function oldestOver(
  files: readonly FileInBody[],
  weigh: (file: FileInBody) => number,
  most: number | undefined,
): readonly FileInBody[] {
  let total = files.reduce((sum, file) => sum + weigh(file), 0);
  const over: FileInBody[] = [];
  for (const file of files) {
    if (most === undefined || total <= most) break;
    if (weigh(file) === 0) continue;
    total -= weigh(file);
    over.push(file);
  }
  return over;
}

const ENCODER = new TextEncoder();

/** How long a body is once its places are filled. */
export function bodyLength(body: object): number {
  return segmentsOf(JSON.stringify(body)).reduce(
    (sum, segment) => sum + (typeof segment === 'string' ? ENCODER.encode(segment).length : placeLength(segment)),
    0,
  );
}

/** The oldest files without which the request is short enough; none if it is. */
export function oldestForLength(
  files: readonly FileInBody[],
  { requestBytes }: Limits,
  body: object,
): readonly FileInBody[] {
  const excess = bodyLength(body) - requestBytes;
  if (excess <= 0) return [];
  const all = files.reduce((sum, { measured }) => sum + measured.length, 0);
  // A line in its place takes a little of what a file leaves.
  const lines = 200 * files.length;
  return oldestOver(files, ({ measured }) => measured.length, Math.max(0, all - excess - lines));
}

// Rules that every provider has, each in its own words.

type Find<Body extends object, Context> = FileRule<Body, Context>['find'];
type Words = Omit<Offence, 'file'>;

/** The bytes of a file are what the request says. */
export const bytesAsSaid =
  (words: (file: FileInBody) => Words): Find<object, unknown> =>
  (files) =>
    files.filter((file) => !isWhatItSays(file)).map((file) => ({ file, ...words(file) }));

/** There are no more pictures than a request may hold. */
export const fewImages =
  (words: (images: number) => Words): Find<object, unknown> =>
  (files, { images }) =>
    oldestOver(ofKind(files, 'image'), () => 1, images).map((file) => ({ file, ...words(images ?? 0) }));

/** The request is short enough. */
export const shortBody =
  <Body extends object>(
    words: (limits: Limits) => Words,
    sent: (body: Body) => object = (body) => body,
  ): Find<Body, unknown> =>
  (files, limits, _, body) =>
    oldestForLength(files, limits, sent(body)).map((file) => ({ file, ...words(limits) }));

/** A file whose `data:` address holds it; null for any other address. */
export function fileAtAddress(path: string, kind: FileInBody['kind'], address: unknown): FileInBody | null {
  const data = typeof address === 'string' ? dataUrlOf(address) : null;
  return data === null ? null : fileInBody(path, kind, data.mediaType, data.data);
}
