/** What replaces a secret. */
export const REDACTED = '[redacted]';

/** Removes secrets from a text that a person or a log will see. */
export type Redact = (text: string) => string;

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'set-cookie',
]);

// Keys that are not ours (a gateway's upstream key in its error body) can be recognised only by their form.
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)(\s+)[\w.~+/=*-]{6,}/gi, `$1$2${REDACTED}`],
  [/([?&;](?:key|api[-_]?key|access[-_]?token|token|signature|sig)=)[^&\s"'<>]+/gi, `$1${REDACTED}`],
  [/((?:x-api-key|x-goog-api-key|api[-_]key)["']?\s*[:=]\s*["']?)[^\s"',}\]]{6,}/gi, `$1${REDACTED}`],
  // A digit distinguishes a key from a word; a provider that quotes a key puts asterisks into it.
  [/\b(?:sk|pk|rk|xai|sess|key|gsk|pplx|hf)[-_](?=[\w*-]*[\d*])[\w*-]{7,}/g, REDACTED],
  [/\bAIza[\w*-]{10,}/g, REDACTED],
  [/(:\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${REDACTED}@`],
];

/** A secret shorter than this would blot out ordinary words, and protects nothing. */
const MIN_SECRET_LENGTH = 4;

export function createRedactor(secrets: readonly string[]): Redact {
  const spellings = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  // The longest first: a key that contains another one must not leave its ends behind.
  const known = [...new Set(spellings)].toSorted((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, REDACTED);
    for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean;
  };
}

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.has(name.toLowerCase());
}

export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? REDACTED : value]),
  );
}
