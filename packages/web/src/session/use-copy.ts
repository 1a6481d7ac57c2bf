import { useState } from 'react';
import { copyText } from './copy-text.ts';
import { attempt } from './refusals.ts';

const SHOWN_MS = 1_500;

/** Copies, and is `true` for a moment if that worked. */
export function useCopy(): readonly [copied: boolean, copy: (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false);
  const copy = async (text: string): Promise<void> => {
    if (!(await attempt(() => copyText(text)))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return [copied, copy];
}
