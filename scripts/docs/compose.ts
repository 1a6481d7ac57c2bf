import { isPlainObject } from '@bough/core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './run-document.ts';

export interface Service {
  readonly environment: Readonly<Record<string, string>>;
  /** The words of its health check, without the leading `CMD`. */
  readonly healthcheck: readonly string[];
  /** The files and folders of this repository that are mounted into it. */
  readonly mounted: readonly string[];
}

/** `deploy/compose.yaml` as Compose would read it, with these values for its variables. */
export async function readCompose(values: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, Service>> {
  const text = await readFile(join(ROOT, 'deploy', 'compose.yaml'), 'utf8');
  const value: unknown = parse(text, { merge: true });
  return new Map(
    Object.entries(fieldsOf(fieldsOf(value)['services'])).map(([name, each]) => [name, service(each, values)]),
  );
}

function service(value: unknown, values: Readonly<Record<string, string>>): Service {
  const { environment, healthcheck, volumes } = fieldsOf(value);
  const [kind, ...words] = listOf(fieldsOf(healthcheck)['test']);
  if (kind !== 'CMD') throw new Error(`A health check must be a CMD, not ${String(kind)}.`);
  return {
    environment: Object.fromEntries(
      Object.entries(fieldsOf(environment)).map(([name, entry]) => [name, interpolate(textOf(entry), values)]),
    ),
    healthcheck: words.map((word) => interpolate(textOf(word), values)),
    mounted: listOf(volumes).flatMap((volume) => /^(\.[^:]*):/.exec(textOf(volume))?.[1] ?? []),
  };
}

/** `$$`, `${NAME:?why}` and `${NAME:-otherwise}`, the forms that the file uses; any other is an error. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$(\$|\{(\w+):([?-])([^}]*)\}|.?)/g,
    (form, kind: string, name = '', sign = '', rest = '') => {
      if (kind === '$') return '$';
      const value = values[name];
      if (value !== undefined) return value;
      if (sign === '-') return rest;
      throw new Error(
        sign === '?' ? `${name} is not set: ${rest}` : `${form} is a form that this reader does not know.`,
      );
    },
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isPlainObject(value)) throw new Error(`deploy/compose.yaml: ${JSON.stringify(value)} should be a mapping.`);
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`deploy/compose.yaml: ${JSON.stringify(value)} should be a list.`);
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`deploy/compose.yaml: ${JSON.stringify(value)} should be a text.`);
  return value;
}
