import { groq } from '../../../../deployments/groq.ts';
import { mistral } from '../../../../deployments/mistral.ts';
import { moonshot } from '../../../../deployments/moonshot.ts';
import { ollama } from '../../../../deployments/ollama.ts';
import { openai } from '../../../../deployments/openai.ts';
import { openrouter } from '../../../../deployments/openrouter.ts';
import { xai } from '../../../../deployments/xai.ts';
import { inBase64, placed, pngBytes } from '../../../../files/samples.ts';
import type { Case } from './case.ts';
import { ask, calling, chat, result } from './case.ts';

const PNG = inBase64(pngBytes(80, 60));
const image = (data = PNG, type = 'image/png') => ({
  type: 'image_url',
  image_url: { url: `data:${type};base64,${data}` },
});
const file = (data: string) => ({
  type: 'file',
  file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` },
});
const show = (...content: readonly unknown[]) => chat({ role: 'user', content });
const many = (count: number, size = 300) => Array.from({ length: count }, () => image(placed({ size })));
/** Of a model that says nothing about pictures, a server takes them. */
const VISION = 'some-vision-model';

export const FILE_CASES: readonly Case[] = [
  {
    rule: 'OAC-FILE-1',
    server: mistral,
    model: 'magistral-medium-latest',
    passes: chat(ask),
    fails: show(image()),
    says: 'Image input is not enabled for this model',
  },
  {
    rule: 'OAC-FILE-1',
    server: moonshot,
    model: 'kimi-k2-thinking',
    passes: chat(ask),
    fails: show(image()),
    says: 'Image input not supported for model kimi-k2-thinking',
  },
  {
    rule: 'OAC-FILE-1',
    server: openrouter,
    model: 'deepseek/deepseek-v4-pro',
    passes: chat(ask),
    fails: show(image()),
    says: 'No endpoints found that support image input',
    status: 404,
  },
  {
    rule: 'OAC-FILE-1',
    server: xai,
    model: 'grok-4.3',
    passes: show(image()),
    fails: show(file(placed({ mediaType: 'application/pdf' }))),
    says: 'Invalid request content: Image inputs are not supported by this model.',
  },
  {
    rule: 'OAC-FILE-1',
    server: ollama,
    passes: chat(ask),
    fails: show(image()),
    says: 'this model is missing data required for image input',
    status: 500,
  },
  {
    rule: 'OAC-FILE-1',
    server: groq,
    passes: chat(ask),
    fails: show(image()),
    says: 'Invalid content type. Files of this type are only supported by certain models.',
  },
  {
    rule: 'OAC-FILE-2',
    server: openai,
    passes: show(image(), file(placed({ mediaType: 'application/pdf', pages: 1 }))),
    fails: show(image(PNG, 'image/tiff')),
    says: "Invalid MIME type. Files of the type 'image/tiff' are not supported.",
  },
  {
    rule: 'OAC-FILE-3',
    server: openai,
    passes: show(image()),
    fails: show(image('AAAA')),
    says: 'The data you provided does not represent a valid file of its type.',
  },
  {
    rule: 'OAC-FILE-4',
    server: xai,
    passes: show(image()),
    fails: show(image(placed({ size: 9_000_000 }))),
    says: 'Image size exceeds the maximum of 10485760 bytes',
  },
  {
    rule: 'OAC-FILE-4',
    server: xai,
    passes: show(image()),
    fails: show(image(placed({ width: 20, height: 20 }))),
    says: 'Image must have at least 512 pixels',
  },
  {
    rule: 'OAC-FILE-4',
    server: groq,
    model: VISION,
    passes: show(image()),
    fails: show(image(placed({ width: 9_000, height: 9_000 }))),
    says: 'Image exceeds the maximum of 33177600 pixels',
  },
  {
    rule: 'OAC-FILE-5',
    server: groq,
    model: VISION,
    passes: show(...many(3)),
    fails: show(...many(4)),
    says: 'Too many images provided. This model supports up to 3 images',
  },
  {
    rule: 'OAC-FILE-6',
    server: groq,
    model: VISION,
    passes: show(...many(2, 1_500_000)),
    fails: show(...many(3, 1_500_000)),
    says: 'Request Entity Too Large',
    status: 413,
  },
  {
    rule: 'OAC-FILE-7',
    server: openai,
    passes: chat(ask, calling(), result(), { role: 'user', content: [image()] }),
    fails: chat(ask, calling(), { ...result(), content: [image()] }),
    says: "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains",
  },
];
