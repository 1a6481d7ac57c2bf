import type { Envelope } from '@bough/core';
import { readFilesStore } from '@bough/store';
import { backfilled } from './backfilled.ts';
import type { Found } from './found.ts';
import { renamed } from './rename.ts';

/** Somebody's Loom directory, read in place: nothing is written there, and nothing in it is obeyed. */
export async function* readLoom(path: string, envelope: Envelope): AsyncGenerator<Found, void> {
  const reader = await readFilesStore(path);
  for (const { subject, message } of reader.problems) yield { type: 'problem', problem: { where: subject, message } };
  for (const project of reader.projects()) {
    const problems = reader.problemsOf(project.id);
    for (const { subject, message } of problems) yield { type: 'problem', problem: { where: subject, message } };
    // A project with an unreadable file is not exported: half a tree would look like a whole one.
    if (problems.length > 0) continue;
    yield {
      type: 'project',
      format: 'loom',
      title: project.name,
      records: backfilled(
        renamed(reader.exportProject(project.id), `loom ${project.id} ${project.createdAt}`, envelope),
      ),
      leftOut: [],
      problems: [],
    };
  }
}
