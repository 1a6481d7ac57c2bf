import { inBase64, placed, pngBytes } from '../../../../files/samples.ts';
import type { Case } from './case.ts';
import { stateless } from './case.ts';

const PNG = inBase64(pngBytes(8, 6));
const image = (data = PNG, type = 'image/png') => ({
  type: 'input_image',
  image_url: `data:${type};base64,${data}`,
  detail: 'auto',
});
const file = (data: string, type = 'application/pdf') => ({
  type: 'input_file',
  filename: 'a.pdf',
  file_data: `data:${type};base64,${data}`,
});
const pdf = placed({ mediaType: 'application/pdf', pages: 1, width: 0, height: 0 });
const ask = (...content: readonly unknown[]) => stateless({ role: 'user', content });
const many = (count: number, size = 300) => Array.from({ length: count }, () => image(placed({ size })));

export const FILE_CASES: readonly Case[] = [
  {
    rule: 'OAR-FILE-1',
    pass: [ask(image(), file(pdf))],
    fail: ask(image(PNG, 'image/tiff')),
    message: /^You uploaded an unsupported image/,
  },
  {
    rule: 'OAR-FILE-1',
    pass: [ask(file(pdf))],
    fail: ask(file('AAAA', 'text/plain')),
    message:
      /^Invalid input: Expected context stuffing file type to be a supported format: \.pdf but got text\/plain\./,
  },
  {
    rule: 'OAR-FILE-1',
    model: 'o3-mini',
    blind: true,
    pass: [ask({ type: 'input_text', text: 'Q' })],
    fail: ask(image()),
    message: /only supported by certain models/,
  },
  {
    rule: 'OAR-FILE-2',
    pass: [ask(image())],
    fail: ask(image('AAAA'), file('AAAA')),
    message: /^The image data you provided does not represent a valid image/,
  },
  { rule: 'OAR-FILE-3', pass: [ask(...many(500))], fail: ask(...many(501)), message: /^Too many images in request/ },
  {
    rule: 'OAR-FILE-4',
    pass: [ask(...many(3, 10_000_000))],
    fail: ask(...many(4, 10_000_000)),
    message: /exceeds the limit of 50 MB/,
  },
  {
    rule: 'OAR-FILE-5',
    pass: [ask(file(pdf))],
    fail: ask({ ...file(pdf), filename: 'paper' }),
    message: /supported format: \.pdf but got none\./,
  },
];
