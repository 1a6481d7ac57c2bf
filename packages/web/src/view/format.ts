/** Numbers, money and times in the reader's own format. */
export const formatNumber = (value: number, locale: string): string => numbers(locale).format(value);

export const formatCost = (value: number, locale: string): string =>
  numbers(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: value < 0.1 ? 4 : 2,
  }).format(value);

export const formatTime = (iso: string, locale: string): string =>
  times(locale, {
    hour: '2-digit',
    minute: '2-digit',
    ...(isToday(iso) ? {} : { day: 'numeric', month: 'short', ...(isThisYear(iso) ? {} : { year: 'numeric' }) }),
  }).format(new Date(iso));

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
