import type { ConnectableClient } from '@bough/api';
import type { ProtocolId } from '@bough/core';
import { isPlainObject } from '@bough/core';
import { join } from 'node:path';

export { NO_KEY, TOKEN_HEADER } from '@bough/api';

/** Where a client is pointed at. */
export interface Target {
  /** The gateway of a server: `http://127.0.0.1:4870/gateway`, or the one of a project. */
  readonly gateway: string;
  /** The provider to use instead of the client's usual one. */
  readonly provider: { readonly id: string; readonly protocol: ProtocolId } | null;
  /** The token of the server; null if it needs none. */
  readonly token: string | null;
  /** Whether the key that Bough has is to be used even if the client has its own. */
  readonly usesBoughsKey: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a client is started. */
export interface Place {
  readonly env: Environment;
  readonly fileExists: (path: string) => boolean;
  /** Null if there is no such file. */
  readonly readText: (path: string) => string | null;
  /** The names in a directory; none if there is none. */
  readonly namesIn: (path: string) => readonly string[];
  /** A directory for this run alone. */
  readonly directory: string;
  /** Where the person is. */
  readonly cwd: string;
}

/** What a client is started with, on top of what it would have been started with. */
export interface Setup {
  readonly env: Environment;
  /** Words between the program and the person's own words. */
  readonly words: readonly string[];
  /** Files in the directory that is removed afterwards. */
  readonly files?: Readonly<Record<string, string>>;
  /** Folders that the client would make in the person's home: they are there before links to them are made. */
  readonly folders?: readonly string[];
  /** Links there to what is elsewhere. */
  readonly links?: Readonly<Record<string, string>>;
}

/** A client that Bough knows. */
export interface KnownClient extends ConnectableClient {
  /** The protocols that it speaks, with the provider that it uses for each. */
  readonly speaks: Readonly<Partial<Record<ProtocolId, string>>>;
  readonly setup: (target: Target, place: Place) => Setup;
}

export function addressOf(target: Target, protocol: ProtocolId, usual: string): string {
  const id = target.provider?.protocol === protocol ? target.provider.id : usual;
  return `${target.gateway}/${id}`;
}

export function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** The person's own directory; on Windows another variable names it. */
export function inHome({ env }: Pick<Place, 'env'>, ...path: readonly string[]): string {
  const home = [env['HOME'], env['USERPROFILE']].find(isSet);
  return join(home ?? '', ...path);
}

/** A file of JSON; empty if there is none, or if it cannot be read here. */
export function objectAt({ readText }: Pick<Place, 'readText'>, path: string): Readonly<Record<string, unknown>> {
  return objectIn(readText(path) ?? '') ?? {};
}

/** Null if the text is no object. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}
