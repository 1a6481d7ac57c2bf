import { timeOrNull } from '../../fields.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/**
 * The times that SillyTavern wrote over the years: numbers, `June 21, 2024 3:45pm`, `2024-6-21 @15h 45m 12s 345ms`, and
 * ISO. None of the older ones names its zone.
 */
export function tavernTime(value: unknown): string | null {
  if (typeof value !== 'string') return timeOrNull(value);
  if (/^\d+$/.test(value)) return timeOrNull(Number(value));
  const spoken = /^(\w+) (\d+), (\d+) (\d+):(\d+)\s*([ap])m$/i.exec(value.trim());
  if (spoken !== null) {
    const [, month = '', day, year, hour, minute, half = ''] = spoken;
    const place = MONTHS.indexOf(month.toLowerCase());
    const shift = half.toLowerCase() === 'p' ? 12 : 0;
    return place < 0 ? null : at(Number(year), place, Number(day), (Number(hour) % 12) + shift, Number(minute));
  }
  const marked = /^(\d+)-(\d+)-(\d+) ?@ ?(\d+)h ?(\d+)m ?(?:(\d+)s)? ?(?:(\d+)ms)?$/.exec(value.trim());
  if (marked === null) return timeOrNull(value);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, rest = 0] = marked
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  return at(year, month - 1, day, hour, minute, second, rest);
}

function at(...parts: readonly [number, number, number, number, number, number?, number?]): string | null {
  return timeOrNull(Date.UTC(...parts));
}
