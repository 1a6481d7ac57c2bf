import { inBase64, jpegBytes, placed, pngBytes } from '../../../../files/samples.ts';
import type { Case } from '../cases.ts';

// Only for tests, and for the list of messages in the documents.

const PNG = inBase64(pngBytes(8, 6));
const source = (data: string, mediaType: string) => ({ source: { type: 'base64', media_type: mediaType, data } });
const image = (data = PNG, mediaType = 'image/png') => ({ type: 'image', ...source(data, mediaType) });
const pdf = (pages: number) => ({
  type: 'document',
  ...source(placed({ mediaType: 'application/pdf', pages, width: 0, height: 0 }), 'application/pdf'),
});
const ask = (...content: readonly unknown[]) => ({ max_tokens: 4000, messages: [{ role: 'user', content }] });
const many = (count: number, change: Parameters<typeof placed>[0] = {}) =>
  Array.from({ length: count }, () => image(placed(change)));

const program = { type: 'server_tool_use', id: 'srvtoolu_9', name: 'code_execution', input: { code: 'now()' } };
const called = (caller: object) => ({ type: 'tool_use', id: 'toolu_1', name: 'now', input: {}, ...caller });
const loop = (reply: readonly unknown[], more: object = {}) => ({
  max_tokens: 4000,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'assistant', content: reply },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image()] }] },
  ],
  ...more,
});

const FORMAT = { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } };

export const FILE_CASES: Readonly<Record<string, Case>> = {
  'ANT-FILE-1': {
    passes: ask(image(), pdf(1)),
    fails: ask(image(PNG, 'image/bmp'), { ...pdf(1), ...source('AAAA', 'text/csv') }),
    says: "messages.0.content.0.source.base64.media_type: Input should be 'image/jpeg', 'image/png'",
  },
  'ANT-FILE-2': {
    passes: ask(image(), image(inBase64(jpegBytes(9, 9)), 'image/jpeg')),
    fails: ask(image(PNG, 'image/jpeg'), image('AAAA'), { ...pdf(1), ...source('AAAA', 'application/pdf') }),
    says: 'messages.0.content.0.image.source.base64.data: Image does not match the provided media type image/jpeg',
  },
  'ANT-FILE-3': {
    passes: ask(...many(1, { width: 8000, size: 7_000_000 })),
    fails: ask(...many(1, { size: 9_000_000 }), ...many(1, { width: 8001 })),
    says: 'messages.0.content.0.image.source.base64: image exceeds 10 MB maximum: 12000000 bytes > 10485760 bytes',
  },
  'ANT-FILE-4': {
    passes: ask(...many(20), ...many(0), ...many(0)),
    fails: ask(...many(20), ...many(1, { height: 2001 })),
    says: 'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  },
  'ANT-FILE-5': {
    passes: ask(...many(100), pdf(60), pdf(40)),
    fails: ask(...many(101), pdf(60), pdf(41)),
    says: 'A maximum of 100 PDF pages may be provided',
  },
  'ANT-FILE-6': {
    passes: ask(...many(4, { size: 5_000_000 })),
    fails: ask(...many(6, { size: 5_000_000 })),
    says: 'Request exceeds the maximum size',
    code: 'request_too_large',
    status: 413,
  },
  'ANT-FILE-7': {
    passes: loop([called({})]),
    fails: loop([program, called({ caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_9' } })], {
      container: 'container_1',
    }),
    says: 'tool_result content for programmatic tool calls must be text',
  },
  'ANT-FILE-8': {
    passes: ask({ ...pdf(1), citations: { enabled: true } }, { ...pdf(1), citations: { enabled: true } }),
    fails: ask({ ...pdf(1), citations: { enabled: true } }, pdf(1)),
    says: 'citations must be enabled on all or none of the documents in a request',
  },
  'ANT-FILE-9': {
    passes: ask({ ...pdf(1), citations: { enabled: false } }),
    fails: { ...ask({ ...pdf(1), citations: { enabled: true } }), output_config: { format: FORMAT } },
    says: 'output_config.format: messages.0.content.0.citations cannot be enabled with it',
  },
};
