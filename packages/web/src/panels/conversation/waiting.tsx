import { useEffect, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { formatNumber } from '../../view/format.ts';

interface WaitingProps {
  readonly code: string;
  readonly milliseconds: number;
  readonly until: string;
}

/** Why nothing comes, and for how long: dots alone look the same after two seconds and after a minute. */
export function Waiting({ code, milliseconds, until }: WaitingProps) {
  const t = useT();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  // Never more than the whole pause: the clock of the server may be ahead of this one.
  const left = Math.ceil(Math.min(Date.parse(until) - now, milliseconds) / 1_000);
  const seconds = formatNumber(left, t.locale);
  return (
    <p className="notice warn" role="status">
      {left <= 0 ? t('waiting.again') : t(code === 'rate_limit' ? 'waiting.limit' : 'waiting.trouble', { seconds })}
    </p>
  );
}
