import { inBase64, placed, pngBytes } from '../../../../files/samples.ts';
import type { Case } from '../cases.ts';

// Only for tests, and for the list of messages in the documents.

const PNG = inBase64(pngBytes(8, 6));
const media = (data = PNG, mimeType = 'image/png') => ({ inlineData: { mimeType, data } });
const pdf = (pages: number) =>
  media(placed({ mediaType: 'application/pdf', pages, width: 0, height: 0, name: 'a.pdf' }), 'application/pdf');
const ask = (...parts: readonly unknown[]) => ({ contents: [{ role: 'user', parts }] });
const large = media(placed({ size: 9_000_000 }));

export const FILE_CASES: Readonly<Record<string, Case>> = {
  'GEM-FILE-1': {
    good: ask(media(), pdf(1)),
    bad: ask(media(PNG, 'image/bmp'), { text: 'Q' }),
    says: 'Unsupported MIME type: image/bmp',
    healed: ask({ text: '[picture: 8 × 6]' }, { text: 'Q' }),
  },
  'GEM-FILE-2': {
    good: ask(media()),
    bad: ask(media('AAAA'), media('AAAA', 'application/pdf'), media('AAAA', 'audio/wav')),
    says: 'Unable to process input image.',
    healed: ask({ text: '[picture]' }, { text: '[document]' }, { text: '[audio]' }),
  },
  'GEM-FILE-3': {
    good: ask(pdf(600), pdf(400)),
    bad: ask(pdf(600), pdf(401)),
    says: 'The document contains 600 pages which exceeds the supported page limit of 1000.',
    healed: ask({ text: '[document: a.pdf]' }, pdf(401)),
  },
  'GEM-FILE-4': {
    good: ask(large),
    bad: ask(large, large),
    says: 'Request payload size exceeds the limit: 20971520 bytes.',
    healed: ask({ text: '[picture: a.png, 80 × 60]' }, large),
  },
};
