/**
 * What the `map` of an nginx configuration returns for a value, by nginx's own rules: strings ignoring case, then
 * patterns in order, then the default.
 */
export function nginxMap(configuration: string, variable: string, value: string): string {
  const block = new RegExp(`^map \\$\\w+ \\$${variable} \\{\\n([^}]*)\\}`, 'm').exec(configuration)?.[1];
  if (block === undefined) throw new Error(`There is no map for $${variable}.`);
  const entries = block
    .trim()
    .split('\n')
    .map((line) => {
      const [, quoted, plain, quotedResult, plainResult] = ENTRY.exec(line.trim()) ?? [];
      const [key, result] = [quoted ?? plain, quotedResult ?? plainResult];
      if (key === undefined || result === undefined) throw new Error(`This is no line of a map: ${line}`);
      return { key, result };
    });
  const found =
    entries.find(({ key }) => !key.startsWith('~') && key.toLowerCase() === value.toLowerCase()) ??
    entries.find(({ key }) => key.startsWith('~') && patternOf(key).test(value)) ??
    entries.find(({ key }) => key === 'default');
  return found?.result ?? '';
}

const ENTRY = /^(?:"([^"]*)"|(\S+)) +(?:"([^"]*)"|(\S+));$/;

function patternOf(key: string): RegExp {
  return key.startsWith('~*') ? new RegExp(key.slice(2), 'i') : new RegExp(key.slice(1));
}
