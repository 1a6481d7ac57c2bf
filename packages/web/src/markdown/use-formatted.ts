import { startTransition, useEffect, useRef, useState } from 'react';
import type { FormattedText, Formatter } from './formatter.ts';
import { asWritten } from './formatter.ts';

/** How long the formatted version of a growing text may lag behind; after that, the new part is shown unformatted. */
const LAG_MS = 500;

/**
 * A text with its formatting, as far as it is known. While a text grows, its previous version stays until the new one
 * is formatted; a text about which nothing is known is shown as it was written. What was shown once never disappears:
 * only its formatting changes.
 */
export function useFormatted(formatter: Formatter, text: string, isGrowing: boolean): FormattedText {
  const [made, setMade] = useState(() => formatter.beginningOf(text));
  const [isLate, setIsLate] = useState(false);
  const longest = useRef('');
  const known = formatter.peek(text) ?? (made !== null && text.startsWith(made.text) ? made : asWritten('', false));
  const isBehind = known.text !== text;

  useEffect(() => {
    if (formatter.peek(text) !== null) return undefined;
    const stop = new AbortController();
    // A result is shown even though a newer text is waiting: otherwise a text that grows quickly would never be shown
    // at all.
    const follow = async (): Promise<void> => {
      const result = await formatter.format(text, stop.signal);
      if (result === null) return;
      // A whole text has thousands of elements: they are made in pieces, between which the page answers. A growing one
      // is not: its next words would begin this again and again.
      if (isGrowing) setMade(result);
      else startTransition(() => setMade(result));
    };
    void follow();
    return () => stop.abort();
  }, [formatter, text, isGrowing]);

  useEffect(() => {
    setIsLate(false);
    if (!isBehind) return undefined;
    const timer = window.setTimeout(() => setIsLate(true), LAG_MS);
    return () => window.clearTimeout(timer);
  }, [made, isBehind]);

  const mayLag = isGrowing && !isLate && known.text !== '';
  const shown = mayLag && text.startsWith(longest.current) ? longest.current : mayLag ? known.text : text;
  useEffect(() => {
    longest.current = shown.length > known.text.length ? shown : known.text;
  });
  return known.text.length < shown.length ? continued(known, shown) : known;
}

/** The new part continues the last block, in the same sentence, so that block is shown as it was written, too. */
function continued({ text, parts }: FormattedText, longer: string): FormattedText {
  const last = parts.at(-1);
  const gaveUp = last?.kind === 'plain' && last.gaveUp;
  const end = `${last?.text ?? ''}${longer.slice(text.length)}`;
  return { text: longer, parts: [...parts.slice(0, -1), { kind: 'plain', text: end, gaveUp }] };
}
