/**
 * Lines that went and lines that came. A request grows at its end, so the common beginning and the common end are cut away and
 * what is between them is shown: exact for what a stable prefix gives, and linear for any size.
 */
export function lineDiff(before: string, after: string): string {
  const old = before === '' ? [] : before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const context = 3;
  const lines = [
    `@@ line ${head + 1} @@`,
    ...now.slice(Math.max(0, head - context), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...now.slice(now.length - tail, now.length - tail + context).map((line) => `  ${line}`),
  ];
  return old.length === now.length && head === old.length ? 'No difference.\n' : `${lines.join('\n')}\n`;
}
