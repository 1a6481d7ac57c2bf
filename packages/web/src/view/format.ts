/** Numbers, money and times in the reader's own form. */
export const formatNumber = (value: number, locale: string): string => new Intl.NumberFormat(locale).format(value);

export const formatCost = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: value < 0.1 ? 4 : 2,
  }).format(value);

export const formatTime = (iso: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    ...(isToday(iso) ? {} : { day: 'numeric', month: 'short' }),
  }).format(new Date(iso));

export function formatDuration(milliseconds: number, locale: string): string {
  const seconds = milliseconds / 1000;
  const digits = seconds < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(seconds)} s`;
}

function isToday(iso: string): boolean {
  return new Date(iso).toDateString() === new Date().toDateString();
}
