import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { errorText } from '../../view/error-text.ts';
import { Problem } from '../problem.tsx';

const WIDTH = 900;

/** The first page of a PDF. What draws it is large, and is loaded only now. */
export function PdfPage({ address, name }: { readonly address: string; readonly name: string }) {
  const t = useT();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isDrawn, setIsDrawn] = useState(false);
  useEffect(() => {
    let isGone = false;
    void draw(address, canvas).then(
      () => isGone || setIsDrawn(true),
      (error: unknown) => isGone || setProblem(errorText(error)),
    );
    return () => {
      isGone = true;
    };
  }, [address]);
  return (
    <>
      {problem === null ? null : <Problem message={t('files.pdf.failed', { reason: problem })} />}
      {isDrawn || problem !== null ? null : <p role="status">{t('app.loading')}</p>}
      <canvas ref={canvas} hidden={!isDrawn} role="img" aria-label={t('files.pdf.page', { name })} />
    </>
  );
}

async function draw(address: string, canvas: React.RefObject<HTMLCanvasElement | null>): Promise<void> {
  const [{ getDocumentProxy }, answer] = await Promise.all([import('unpdf'), fetch(address)]);
  if (!answer.ok) throw new Error(answer.statusText);
  const pdf = await getDocumentProxy(new Uint8Array(await answer.arrayBuffer()));
  try {
    const page = await pdf.getPage(1);
    const { width } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: WIDTH / width });
    const element = canvas.current;
    if (element === null) return;
    element.width = viewport.width;
    element.height = viewport.height;
    await page.render({ canvas: element, viewport }).promise;
  } finally {
    await pdf.destroy();
  }
}
