import { useT } from '../i18n/index.ts';
import { useCopy } from '../session/use-copy.ts';
import { CopyIcon } from './icons.tsx';

/** Copies a text that is produced on demand. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const t = useT();
  const [copied, copy] = useCopy();
  return (
    <button type="button" className="button small" onClick={() => void copy(text())}>
      <CopyIcon />
      {copied ? t('reply.copied') : label}
    </button>
  );
}
