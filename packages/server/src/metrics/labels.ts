export type Labels = Readonly<Record<string, string>>;

/** Labels as Prometheus writes them, without the braces. An empty one is as good as none. */
export function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${escape(value)}"`)
    .join(',');
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** What is counted together once there are too many names. */
export const OTHERS = 'others';

/**
 * Clients of the gateway name any model that they like. Each name is a series of every metric, here and in Prometheus,
 * for ever: the first ones get their own, those that come later are counted together.
 */
export function limitNames(most: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < most) known.add(name);
    return known.has(name) ? name : OTHERS;
  };
}
