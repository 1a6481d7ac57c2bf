/** Headers by name in lower case; several values of one are joined, as HTTP allows. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** They belong to one connection, not to the request or the response. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'];

/** What does not leave with a client's request. Everything else does: vendors add headers faster than lists follow. */
const NOT_TOWARDS_VENDOR: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'host',
  'expect',
  // It is set anew from what is sent.
  'content-length',
  // The gateway asks for plain bytes.
  'accept-encoding',
  // They are about this server or about the way to it, not about the vendor.
  'cookie',
  'origin',
  'referer',
  'forwarded',
  'via',
  'x-real-ip',
]);
const NOT_TOWARDS_VENDOR_BEGINNINGS = ['proxy-', 'sec-', 'x-forwarded-', 'x-bough-'];

/** What does not come back from the vendor. */
const NOT_TOWARDS_CLIENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'set-cookie',
  // Promises about the vendor's host that a client would take for promises about this one.
  'alt-svc',
  'strict-transport-security',
  'nel',
  'report-to',
  'clear-site-data',
  'content-security-policy',
  'service-worker-allowed',
]);
const NOT_TOWARDS_CLIENT_BEGINNINGS = ['proxy-', 'access-control-', 'x-bough-'];

export function towardsVendor(headers: HeaderRecord): Record<string, string> {
  return without(headers, NOT_TOWARDS_VENDOR, NOT_TOWARDS_VENDOR_BEGINNINGS);
}

/** What arrived packed was unpacked on the way: then its length and its packing are no longer true. */
export function towardsClient(headers: HeaderRecord): Record<string, string> {
  const kept = without(headers, NOT_TOWARDS_CLIENT, NOT_TOWARDS_CLIENT_BEGINNINGS);
  if (kept['content-encoding'] === undefined) return kept;
  const { 'content-encoding': _, 'content-length': __, ...rest } = kept;
  return rest;
}

function without(
  headers: HeaderRecord,
  names: ReadonlySet<string>,
  beginnings: readonly string[],
): Record<string, string> {
  // A header that the connection header names belongs to the connection as well.
  const named = new Set((headers['connection'] ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !names.has(name) && !named.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)),
    ),
  );
}
