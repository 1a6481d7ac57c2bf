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
  const [first] = useState(left);
  const why = (seconds: number): string =>
    t(code === 'rate_limit' ? 'waiting.limit' : 'waiting.trouble', { seconds: formatNumber(seconds, t.locale) });
  return (
    <div className="notice warn">
      {/* Said once: a number that is read out every second leaves room for nothing else. */}
      <p className="visually-hidden" role="status">
        {why(first)}
      </p>
      <p aria-hidden="true">{left <= 0 ? t('waiting.again') : why(left)}</p>
    </div>
  );
}
