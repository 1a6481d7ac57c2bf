/**
 * A vendor's path below a base URL. Clients write the version (`/v1/chat/completions`) or have it in their own base
 * URL; where the deployment's base URL ends with what the path begins with, that counts once. Null for a path that
 * leads out of the base URL: the key belongs to what is below it, and to nothing else.
 */
export function addressBelow(baseUrl: string, path: string): string | null {
  const base = new URL(baseUrl);
  const above = segmentsOf(base.pathname);
  const mark = path.indexOf('?');
  const [plain, query] = mark === -1 ? [path, ''] : [path.slice(0, mark), path.slice(mark)];
  const below = segmentsOf(plain);
  const shared = overlapOf(above, below);
  const rest = plain.split('/').slice(1 + shared);
  const prefix = above.length === 0 ? '' : `/${above.join('/')}`;
  const url = `${base.origin}${prefix}/${rest.join('/')}${query}`;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  // Dots, plain or encoded, are resolved by every URL parser on the way.
  const isBelow = parsed.origin === base.origin && parsed.pathname.startsWith(`${prefix}/`);
  return isBelow && parsed.username === '' && parsed.hash === '' ? url : null;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** How many segments end the one and begin the other. */
function overlapOf(above: readonly string[], below: readonly string[]): number {
  for (let count = Math.min(above.length, below.length); count > 0; count -= 1)
    if (above.slice(-count).every((segment, index) => segment === below[index])) return count;
  return 0;
}
