/** Numbers, money and times in the reader's own format. */
export const formatNumber = (value: number, locale: string): string => numbers(locale).format(value);

export const formatCost = (value: number, locale: string): string =>
  numbers(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: value < 0.1 ? 4 : 2,
  }).format(value);

export function formatBytes(bytes: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const digits = at === 0 ? 0 : 1;
  return numbers(locale, {
    style: 'unit',
    unit: units[at],
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(bytes / 1000 ** at);
}

export const formatTime = (iso: string, locale: string): string =>
  times(locale, {
    hour: '2-digit',
    minute: '2-digit',
    ...(isToday(iso) ? {} : { day: 'numeric', month: 'short', ...(isThisYear(iso) ? {} : { year: 'numeric' }) }),
  }).format(new Date(iso));

/** Null for what another program wrote without a time: it is kept as the beginning of time, which nobody meant. */
export const formatKnownTime = (iso: string, locale: string): string | null =>
  Date.parse(iso) > 0 ? formatTime(iso, locale) : null;

const MINUTE = 60_000;
const STEPS = [
  ['year', 365 * 24 * 60],
  ['month', 30 * 24 * 60],
  ['week', 7 * 24 * 60],
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const;

/** How long ago, in the largest unit that fits; null for less than a minute. */
export function formatAgo(iso: string, now: number, locale: string): string | null {
  const minutes = (now - Date.parse(iso)) / MINUTE;
  const step = STEPS.find(([, length]) => minutes >= length);
  if (step === undefined) return null;
  return ages(locale, { style: 'narrow' }).format(-Math.floor(minutes / step[1]), step[0]);
}

export function formatDuration(milliseconds: number, locale: string): string {
  const seconds = milliseconds / 1000;
  const digits = seconds < 10 ? 1 : 0;
  return `${numbers(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(seconds)} s`;
}

/** Whole seconds, for a time that is still running. */
export function formatSeconds(milliseconds: number, locale: string): string {
  return `${numbers(locale).format(Math.floor(milliseconds / 1000))} s`;
}

function isToday(iso: string): boolean {
  return new Date(iso).toDateString() === new Date().toDateString();
}

function isThisYear(iso: string): boolean {
  return new Date(iso).getFullYear() === new Date().getFullYear();
}

const numbers = kept((locale: string, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
const times = kept((locale: string, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));

const ages = kept(
  (locale: string, options?: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);

/**
 * Creating a formatter costs far more than using it: a page of turns that each create their own appears noticeably
 * later.
 */
function kept<Options, Format>(
  make: (locale: string, options?: Options) => Format,
): (locale: string, options?: Options) => Format {
  const made = new Map<string, Format>();
  return (locale, options) => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const format = make(locale, options);
    made.set(key, format);
    return format;
  };
}
