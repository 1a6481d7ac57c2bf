import { isPlainObject, memoized } from '@bough/core';
import { chatLimits } from '../../../files/limits.ts';
import type { FileInBody, FileTerms, Offence } from '../../../files/rules.ts';
import {
  bytesAsSaid,
  fewImages,
  fileAtAddress,
  fileInBody,
  fileRule,
  isKnownType,
  isRefusedKind,
  ofKind,
  shortBody,
} from '../../../files/rules.ts';
import type { Json } from '../response/json.ts';
import { listAt, objectAt, stringAt } from '../response/json.ts';
import type { ChatContext, ChatRule } from './context.ts';
import { mapMessages, messagesOf } from './context.ts';

const OPENAI = 'https://developers.openai.com/api/docs/guides/file-inputs';
const GROQ = 'https://console.groq.com/docs/vision';
const XAI = 'https://docs.x.ai/docs/guides/image-understanding';

const filesIn = memoized((body: Json): readonly FileInBody[] =>
  messagesOf(body).flatMap(({ message, index }) =>
    listAt(message, 'content').flatMap((part, at) =>
      isPlainObject(part) ? (fileOf(part, `messages.${index}.content.${at}`) ?? []) : [],
    ),
  ),
);

function fileOf(part: Json, path: string): FileInBody | null {
  switch (part['type']) {
    case 'image_url': {
      const image = part['image_url'];
      return fileAtAddress(path, 'image', isPlainObject(image) ? image['url'] : image);
    }
    case 'file':
      return fileAtAddress(path, 'document', objectAt(part, 'file')?.['file_data']);
    case 'input_audio': {
      const audio = objectAt(part, 'input_audio') ?? {};
      const data = stringAt(audio, 'data');
      const format = stringAt(audio, 'format') ?? '';
      return data === null ? null : fileInBody(path, 'audio', AUDIO[format] ?? format, data);
    }
    default:
      return null;
  }
}

const AUDIO: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg' };

function withLines(body: Json, lines: ReadonlyMap<string, string>): Json {
  if (lines.size === 0) return body;
  return mapMessages(body, ({ message, index }) => {
    if (![...lines.keys()].some((path) => path.startsWith(`messages.${index}.content.`))) return message;
    const content = listAt(message, 'content').map((part, at): unknown => {
      const text = lines.get(`messages.${index}.content.${at}`);
      return text === undefined ? part : { type: 'text', text };
    });
    return { ...message, content };
  });
}

const TERMS: FileTerms<Json, ChatContext> = {
  filesIn,
  withLines,
  limits: ({ quirks }) => chatLimits(quirks.dialect),
  model: ({ model }) => model,
};

/** Each server has its own words for a model that does not see, or hear. */
function refusedKind(file: FileInBody, { quirks, model }: ChatContext): Offence {
  switch (quirks.dialect) {
    case 'mistral':
      return { file, message: 'Image input is not enabled for this model', errorCode: '3051' };
    case 'moonshot':
      return { file, message: `Image input not supported for model ${model.id}` };
    case 'openrouter':
      return { file, message: 'No endpoints found that support image input', status: 404 };
    case 'xai':
      return { file, message: 'Invalid request content: Image inputs are not supported by this model.' };
    case 'ollama':
      return { file, message: 'this model is missing data required for image input', status: 500 };
    default:
      return { file, message: 'Invalid content type. Files of this type are only supported by certain models.' };
  }
}

const takenKinds = fileRule(TERMS, {
  id: 'OAC-FILE-1',
  title: 'A model gets only the kinds of files that it takes.',
  reference: OPENAI,
  find: (files, _, context) =>
    files.filter((file) => isRefusedKind(file, context.model)).map((file) => refusedKind(file, context)),
});

const takenTypes = fileRule(TERMS, {
  id: 'OAC-FILE-2',
  title: 'Files are of a type that the server takes.',
  reference: OPENAI,
  find: (files, limits) =>
    files
      .filter((file) => !isKnownType(file, limits))
      .map((file) => ({
        file,
        message: `Invalid MIME type. Files of the type '${file.mediaType}' are not supported.`,
        errorCode: 'invalid_image_format',
      })),
});

const rightBytes = fileRule(TERMS, {
  id: 'OAC-FILE-3',
  title: 'The bytes of a file are what its address says.',
  reference: OPENAI,
  find: bytesAsSaid(() => ({
    message:
      'The data you provided does not represent a valid file of its type. Please check your input and try again.',
    errorCode: 'image_parse_error',
  })),
});

const fittingImages = fileRule(TERMS, {
  id: 'OAC-FILE-4',
  title: 'No picture has more bytes or pixels than the server takes, or fewer.',
  reference: XAI,
  find: (files, { imageBytes = Infinity, mostPixels = Infinity, fewestPixels = 0 }) =>
    ofKind(files, 'image').flatMap((file): readonly Offence[] => {
      const { length, width, height } = file.measured;
      const pixels = width * height;
      if (length > imageBytes) {
        return [
          { file, message: `Image size exceeds the maximum of ${imageBytes} bytes`, errorCode: 'image_too_large' },
        ];
      }
      if (pixels > mostPixels) {
        return [{ file, message: `Image exceeds the maximum of ${mostPixels} pixels`, errorCode: 'image_too_large' }];
      }
      if (pixels === 0 || pixels >= fewestPixels) return [];
      return [{ file, message: `Image must have at least ${fewestPixels} pixels`, errorCode: 'image_too_small' }];
    }),
});

const countedImages = fileRule(TERMS, {
  id: 'OAC-FILE-5',
  title: 'A request holds no more pictures than the server takes.',
  reference: GROQ,
  find: fewImages((images) => ({
    message: `Too many images provided. This model supports up to ${images} images`,
  })),
});

const shortRequest = fileRule(TERMS, {
  id: 'OAC-FILE-6',
  title: 'A request with files is no longer than the server takes.',
  reference: GROQ,
  find: shortBody(() => ({
    message: 'Request Entity Too Large',
    status: 413,
    errorCode: 'request_too_large',
  })),
});

/** Servers whose results of tools may hold more than text, or whose models decide. */
const TAKES_IMAGES_ELSEWHERE: ReadonlySet<string> = new Set(['mistral', 'openrouter']);

const usersBringFiles = fileRule(TERMS, {
  id: 'OAC-FILE-7',
  title: 'Only messages of the user bring files.',
  reference: 'https://github.com/OpenHands/OpenHands/issues/7700',
  find: (files, _, { quirks }, body) => {
    if (TAKES_IMAGES_ELSEWHERE.has(quirks.dialect)) return [];
    const roles = messagesOf(body).map(({ role }) => role);
    return files.flatMap((file): readonly Offence[] => {
      const index = Number(file.path.split('.')[1]);
      const role = roles[index] ?? 'user';
      if (role === 'user') return [];
      const message = `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`;
      return [{ file, message }];
    });
  },
});

export const FILE_RULES: readonly ChatRule[] = [
  takenKinds,
  takenTypes,
  rightBytes,
  fittingImages,
  countedImages,
  shortRequest,
  usersBringFiles,
];
