import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { SettingError } from '../config/index.ts';
import type { EarlyListener } from '../http/index.ts';
import { createHttpServer } from '../http/index.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Binds the address and releases it: an unavailable one is reported before anything is opened. */
export async function checkAddress(address: Address): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(addressProblem(address, error)));
    server.listen(address, resolve);
  });
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

export async function listen(
  fetch: Parameters<typeof createHttpServer>[0],
  address: Address,
  early?: EarlyListener,
): Promise<{ readonly server: Server; readonly port: number }> {
  return new Promise((resolve, reject) => {
    const server = createHttpServer(fetch, address.host, undefined, undefined, early);
    server.listen(address, () => resolve({ server, port: (server.address() as AddressInfo).port }));
    server.once('error', (error) => reject(addressProblem(address, error)));
  });
}

export function addressProblem({ host, port }: Address, error: NodeJS.ErrnoException): Error {
  const cause = { cause: error };
  switch (error.code) {
    case 'EADDRINUSE':
      return new SettingError(
        'PORT',
        `${port} is in use. Stop the other program, or set PORT to another number.`,
        cause,
      );
    case 'EACCES':
    case 'EPERM':
      return new SettingError(
        'PORT',
        `${port} may not be used by this user. Set PORT to a number from 1024 on, and put a proxy in front.`,
        cause,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return new SettingError('HOST', `"${host}" is not a name that this machine knows. ${USABLE}`, cause);
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return new SettingError('HOST', `"${host}" is not an address of this machine. ${USABLE}`, cause);
    default:
      return new SettingError('HOST', `cannot listen on ${host}, port ${port}: ${error.message}.`, cause);
  }
}

const USABLE = 'Use 127.0.0.1, or an address or name that it has.';
