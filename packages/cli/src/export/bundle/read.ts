import type { Branch, Call, Project, RawResponse, Rendering, TreeNode, Turn } from '@bough/core';
import { isPlainObject } from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MalformedError } from '../../import/fields.ts';
import type { Found } from '../../import/found.ts';
import { BUNDLE_FORMAT, BUNDLE_VERSION, FILES, MANIFEST, rawFile } from './layout.ts';

export async function isBundle(directory: string): Promise<boolean> {
  return stat(join(directory, MANIFEST)).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** A bundle as what it was made from. A damaged one is refused whole: it promises to be without loss. */
export async function* readBundle(directory: string): AsyncGenerator<Found, void> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, MANIFEST), 'utf8'));
  if (!isPlainObject(manifest) || manifest['format'] !== BUNDLE_FORMAT)
    throw new MalformedError(`${join(directory, MANIFEST)} is not the manifest of a bundle.`);
  if (manifest['version'] !== BUNDLE_VERSION) {
    throw new MalformedError(
      `This bundle has the version ${String(manifest['version'])}; this program reads ${BUNDLE_VERSION}.`,
    );
  }
  const { project } = manifest;
  if (!isProject(project)) throw new MalformedError(`${join(directory, MANIFEST)} names no project.`);
  yield {
    type: 'project',
    format: 'bundle',
    title: project.name,
    records: recordsIn(directory, project),
    leftOut: [],
    problems: [],
  };
}

/** What `writeBundle` wrote; the store checks the rest when it takes the records. */
function isProject(value: unknown): value is Project {
  return isPlainObject(value) && ['id', 'name', 'createdAt'].every((field) => typeof value[field] === 'string');
}

async function* recordsIn(directory: string, project: Project): AsyncGenerator<ProjectRecord, void> {
  yield { type: 'project', value: project };
  for await (const value of linesOf<Turn>(directory, FILES.turn)) yield { type: 'turn', value };
  for await (const value of linesOf<TreeNode>(directory, FILES.node)) yield { type: 'node', value };
  for await (const value of linesOf<Branch>(directory, FILES.branch)) yield { type: 'branch', value };
  for await (const { call, raw } of linesOf<{ call: Call; raw: string | null }>(directory, FILES.call)) {
    yield { type: 'call', value: call, raw: raw === null ? null : await readRaw(directory, raw) };
  }
  for await (const value of linesOf<Rendering>(directory, FILES.rendering)) yield { type: 'rendering', value };
}

async function* linesOf<Line>(directory: string, file: string): AsyncGenerator<Line, void> {
  const path = join(directory, file);
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line === '') continue;
    try {
      // The bundle's own lines; the store checks what it takes.
      yield JSON.parse(line) as Line;
    } catch (error) {
      if (error instanceof SyntaxError) throw new MalformedError(`${path}, line ${number}, is not valid JSON.`);
      throw error;
    }
  }
}

/** A raw file is named after its content: one that was changed is no longer what the provider sent. */
async function readRaw(directory: string, hash: string): Promise<RawResponse> {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new MalformedError(`"${hash}" does not name a raw response.`);
  const path = join(directory, rawFile(hash));
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new MalformedError(`${path} is missing.`);
  if (createHash('sha256').update(text).digest('hex') !== hash) throw new MalformedError(`${path} was changed.`);
  return JSON.parse(text) as RawResponse;
}
