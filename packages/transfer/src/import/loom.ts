import type { Envelope } from '@bough/core';
import { idFrom, nodeId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import { readFilesStore } from '@bough/store';
import { backfilled } from './backfilled.ts';
import type { Found } from './found.ts';
import { renamed } from './rename.ts';
import { leftWhole, problemOf } from './unreadable.ts';
import { usageIn, withUsage } from './loom-usage.ts';

/** Somebody's Loom directory, read in place: nothing is written there, and nothing in it is obeyed. */
export async function* readLoom(path: string, envelope: Envelope): AsyncGenerator<Found, void> {
  const reader = await readFilesStore(path);
  yield* reader.problems.map(problemOf);
  for (const project of reader.projects()) {
    const problems = reader.problemsOf(project.id);
    yield* problems.map(problemOf);
    if (problems.length > 0) {
      yield leftWhole(project.name, problems.length);
      continue;
    }
    yield {
      type: 'project',
      format: 'loom',
      title: project.name,
      records: recordsOf(reader.exportProject(project.id), `loom ${project.id} ${project.createdAt}`, envelope),
      held: null,
      files: (hash) => reader.readBlob(project.id, hash),
      leftOut: [],
      problems: [],
    };
  }
}

/** Loom notes with a reply what it cost; Bough notes that with the call that made it. */
function recordsOf(
  records: AsyncIterable<ProjectRecord>,
  space: string,
  envelope: Envelope,
): AsyncIterable<ProjectRecord> {
  const usage: Parameters<typeof withUsage>[1] = new Map();
  const watched = async function* (): AsyncIterable<ProjectRecord> {
    for await (const record of records) {
      if (record.type === 'foreign')
        for (const [id, counts] of usageIn(record.value)) usage.set(nodeId(idFrom(space, 'node', id)), counts);
      yield record;
    }
  };
  return withUsage(backfilled(renamed(watched(), space, envelope)), usage, space);
}
