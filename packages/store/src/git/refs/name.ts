/**
 * What a ref's name must not contain, following `git check-ref-format`. Every name becomes a path: none may lead
 * elsewhere.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const FORBIDDEN = /\.\.|[\u0000- \u007f~^:?*[\\]|@\{|\.$/;

export function isRefName(name: string): boolean {
  const [top, ...parts] = name.split('/');
  return (
    top === 'refs' &&
    parts.length > 0 &&
    !FORBIDDEN.test(name) &&
    parts.every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  );
}
