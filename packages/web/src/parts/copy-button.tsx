import { useState } from 'react';
import { useT } from '../i18n/index.ts';
import { CopyIcon } from './icons.tsx';

/** Copies a text that is made when it is asked for. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const t = useT();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" className="button small" onClick={() => void copy()}>
      <CopyIcon />
      {copied ? t('reply.copied') : label}
    </button>
  );
}
