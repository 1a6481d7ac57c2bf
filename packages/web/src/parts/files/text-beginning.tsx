import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { errorText } from '../../view/error-text.ts';
import { Problem } from '../problem.tsx';

const BYTES = 16_384;

/** The beginning of a text, which may be far longer than a page can lay out. */
export function TextBeginning({ address }: { readonly address: string }) {
  const t = useT();
  const text = useQuery({
    queryKey: ['file', address],
    // Bytes with a hash never change.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const answer = await fetch(address, { headers: { range: `bytes=0-${BYTES - 1}` } });
      if (!answer.ok) throw new Error(t('files.gone'));
      const bytes = new Uint8Array(await answer.arrayBuffer());
      // The last character may be cut in half: it is left out.
      return { words: new TextDecoder().decode(bytes, { stream: true }), isWhole: bytes.length < BYTES };
    },
  });
  if (text.isError) return <Problem message={errorText(text.error)} />;
  if (text.data === undefined) return <p role="status">{t('app.loading')}</p>;
  return (
    <pre className="file-text" dir="auto">
      {text.data.words}
      {text.data.isWhole ? null : '…'}
    </pre>
  );
}
