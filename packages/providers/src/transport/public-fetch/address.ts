import { BlockList, isIP } from 'node:net';

/**
 * Everything that is not the open internet: this machine, its networks, its cloud's metadata, and unroutable addresses.
 */
const PRIVATE_V4 = subnets('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]);
const MAPPED_V4 = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;
/**
 * Global unicast is this one block: anything outside it is loopback, link-local, unique-local, translated or
 * unassigned.
 */
const GLOBAL_V6 = subnets('ipv6', [['2000::', 3]]);
/** Inside it: addresses that embed another address (6to4, Teredo) and those reserved for documentation. */
const SPECIAL_V6 = subnets('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

/** True for an IP address of the open internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 4) return !PRIVATE_V4.check(plain, 'ipv4');
  if (isIP(plain) !== 6) return false;
  const mapped = mappedV4(plain);
  if (mapped !== null) return isPublicAddress(mapped);
  return GLOBAL_V6.check(plain, 'ipv6') && !SPECIAL_V6.check(plain, 'ipv6');
}

/**
 * True if the host of a URL is private by its spelling alone. URLs normalise decimal, octal and hexadecimal addresses
 * to dotted ones.
 */
export function isPrivateHost(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) > 0 ? !isPublicAddress(host) : /(?:^|\.)localhost\.?$/i.test(host);
}

/** The host of a URL as programs other than browsers write it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function mappedV4(address: string): string | null {
  const [, dotted, high, low] = MAPPED_V4.exec(new URL(`http://[${address}]`).hostname.slice(1, -1)) ?? [];
  if (dotted !== undefined) return dotted;
  if (high === undefined || low === undefined) return null;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

function subnets(family: 'ipv4' | 'ipv6', blocks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of blocks) list.addSubnet(net, prefix, family);
  return list;
}
