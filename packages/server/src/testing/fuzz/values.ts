import type { Random } from './random.ts';

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u{1f600}',
  '\u202e\u200b\ufeff',
  '\r\n\t\u001b[31m',
  '../../../etc/passwd',
  '..\\..\\x',
  '.',
  '..',
  '/',
  '%00',
  '%2e%2e%2f',
  '%',
  '%ff%fe',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; drop table nodes; --",
  '${7*7}{{7*7}}',
  '<script>alert(1)</script>',
  'null',
  'NaN',
  '-1',
  '1e999',
  '0x10',
  '9007199254740993',
  'true',
  '[object Object]',
  'main',
  'simulated_gemini',
  'http://127.0.0.1:9/',
  'http://[::ffff:127.0.0.1]/',
  'http://user:password@nobody.invalid/',
  'https://nobody.invalid/v1',
  'http://%zz/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '2024-13-45T99:99:99Z',
  'İıſß',
] as const;

/** A text that no program expects. */
export function hostileText(random: Random): string {
  if (random.chance(0.08)) return random.pick(TEXTS).repeat(1 + random.below(400));
  if (random.chance(0.05)) return 'y'.repeat(random.below(20_000));
  if (random.chance(0.1))
    return String.fromCharCode(...Array.from({ length: 1 + random.below(12) }, () => random.below(0x10000)));
  return random.pick(TEXTS);
}

const NUMBERS = [0, -0, -1, 1, 0.5, 1e-320, 1e21, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 4_294_967_296] as const;

/** Any JSON value. */
export function hostileValue(random: Random, depth = 0): unknown {
  switch (random.below(depth > 3 ? 5 : 9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NUMBERS);
    case 3:
    case 4:
      return hostileText(random);
    case 5:
      return Array.from({ length: random.below(4) }, () => hostileValue(random, depth + 1));
    case 6:
      return nested(random.below(600));
    case 7:
      return { type: random.pick(['text', 'tool-use', 'thinking', 'image']), text: hostileValue(random, depth + 1) };
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [hostileText(random), hostileValue(random, depth + 1)]),
      );
  }
}

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

type Container = Record<string, unknown> | unknown[];

/** A copy with some places changed: other values, missing ones, unknown ones. */
export function mutated(value: unknown, random: Random): unknown {
  const copy: unknown = structuredClone(value);
  const places: (readonly [Container, string | number])[] = [];
  const rest: unknown[] = [copy];
  while (rest.length > 0) {
    const current = rest.pop();
    if (typeof current !== 'object' || current === null) continue;
    const container = current as Container;
    for (const key of Object.keys(container)) places.push([container, key]);
    rest.push(...Object.values(container));
  }
  if (places.length === 0 || random.chance(0.05)) return hostileValue(random);
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const [container, key] = places[random.below(places.length)] ?? [{}, ''];
    change(container as Record<string | number, unknown>, key, random);
  }
  return copy;
}

function change(container: Record<string | number, unknown>, key: string | number, random: Random): void {
  switch (random.below(6)) {
    case 0:
      delete container[key];
      return;
    case 1:
      // Defined, not assigned: JSON.parse creates a member of this name, too.
      Object.defineProperty(container, random.pick(['__proto__', 'constructor', 'surprise', 'toJSON']), {
        value: hostileValue(random),
        enumerable: true,
        configurable: true,
      });
      return;
    case 2:
      container[key] = [container[key], container[key]];
      return;
    case 3:
      container[key] = { [hostileText(random)]: container[key] };
      return;
    default:
      container[key] = random.chance(0.5) ? hostileText(random) : hostileValue(random);
  }
}

/** Bytes that are not JSON, or JSON that no program writes. */
export function hostileBody(valid: string, random: Random): string | Uint8Array {
  switch (random.below(12)) {
    case 0:
      return '';
    case 1:
      return valid.slice(0, random.below(valid.length + 1));
    case 2:
      return `${'['.repeat(random.below(100_000))}${']'.repeat(random.below(100_000))}`;
    case 3:
      return new Uint8Array(Array.from({ length: random.below(200) }, () => random.below(256)));
    case 4:
      return Buffer.from(valid, 'utf16le');
    case 5:
      return `\ufeff${valid}`;
    case 6:
      return valid.replace(/"[^"]*":/, (member) => `${member}1,${member}`);
    case 7:
      return valid.replaceAll('"', "'");
    case 8:
      return `${valid}${valid}`;
    case 9:
      return `{"a":${'9'.repeat(random.below(5_000))}.${'9'.repeat(random.below(50))}e${random.below(100_000)}}`;
    case 10:
      return valid.replace(/:\s*"[^"]*"/, random.pick([':"\\ud800"', ':"\\u0000"', ':"\\x"', ':NaN', ':undefined']));
    default:
      return Buffer.concat([Buffer.from(valid.slice(0, -1)), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('}')]);
  }
}
