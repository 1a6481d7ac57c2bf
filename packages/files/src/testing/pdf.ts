import { deflateSync } from 'node:zlib';

/** A PDF with a page for each text. */
export function pdfOf(
  pages: readonly string[],
  extra: { readonly trailer?: string; readonly count?: number } = {},
): Buffer {
  const contents = pages.map((text) =>
    stream(Buffer.from(text === '' ? '' : `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`)),
  );
  return pdfOfContents(contents, extra);
}

/** A PDF whose only page draws an endless text: a few kilobytes that inflate into `megabytes`. */
export function inflatingPdf(megabytes: number): Buffer {
  const packed = deflateSync(Buffer.alloc(megabytes * 1024 * 1024, ' '), { level: 9 });
  return pdfOfContents([stream(packed, '/Filter /FlateDecode ')], {});
}

function stream(bytes: Buffer, entries = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${entries}/Length ${bytes.length} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

function pdfOfContents(
  contents: readonly Buffer[],
  { trailer = '', count = contents.length }: { readonly trailer?: string; readonly count?: number },
): Buffer {
  const first = 4;
  const kids = contents.map((_, index) => `${first + index * 2} 0 R`).join(' ');
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${count} >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...contents.flatMap((content, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${first + 1 + index * 2} 0 R ` +
          '/Resources << /Font << /F1 3 0 R >> >> >>',
      ),
      content,
    ]),
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const places: number[] = [];
  const length = (): number => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [index, object] of objects.entries()) {
    places.push(length());
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const start = length();
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ` +
        `${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
