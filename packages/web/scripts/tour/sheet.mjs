// One contact sheet: a page of thumbnails that the browser itself builds and photographs.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const THUMB = 300;
const COLUMNS = 8;

export async function makeSheet(browser, pictures, out) {
  const context = await browser.newContext({ viewport: { width: COLUMNS * (THUMB + 16) + 16, height: 800 } });
  const page = await context.newPage();
  try {
    const figures = [];
    for (const { name, number, file } of pictures) {
      const src = await thumbnail(page, await readFile(join(out, 'pictures', file), 'base64'));
      figures.push(
        `<figure><a href="pictures/${file}"><img src="${src}" alt=""></a><figcaption><b>${number}</b> ${name}</figcaption></figure>`,
      );
    }
    const html = `<!doctype html><meta charset="utf-8"><title>Tour</title><style>${STYLE}</style>${figures.join('\n')}`;
    await writeFile(join(out, 'sheet.html'), html);
    await page.setContent(html);
    await page.screenshot({ path: join(out, 'sheet.png'), fullPage: true });
  } finally {
    await context.close();
  }
}

/** Scaled down before it enters the page: two hundred full-size pictures at once would not fit into a small machine. */
function thumbnail(page, base64) {
  return page.evaluate(
    async ([text, width]) => {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const scale = Math.min(width / bitmap.width, 200 / bitmap.height);
      const canvas = document.createElement('canvas');
      canvas.width = bitmap.width * scale;
      canvas.height = bitmap.height * scale;
      const pen = canvas.getContext('2d');
      pen.imageSmoothingQuality = 'high';
      pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL('image/jpeg', 0.8);
    },
    [base64, THUMB],
  );
}

const STYLE = `
  body { margin: 8px; display: flex; flex-wrap: wrap; gap: 16px; background: #ddd; font: 11px sans-serif; }
  figure { margin: 0; width: ${THUMB}px; }
  figcaption { padding-top: 3px; overflow-wrap: anywhere; }
  img { display: block; height: 170px; width: 100%; object-fit: contain; object-position: left; }`;
