import type { Project, ProjectId } from '@bough/core';
import type { ProjectRecord } from '@bough/store';
import { MalformedError } from './fields.ts';
import type { ImportReport } from './report.ts';

/** The ids of what is stored of a project; null where it is not there. */
export type Existing = (
  project: ProjectId,
) => Promise<{ readonly nodes: ReadonlySet<string>; readonly branches: ReadonlySet<string> } | null>;

/** What importing a project would do to what is there. */
export async function rehearsed(
  records: AsyncIterable<ProjectRecord>,
  format: string,
  existing: Existing,
): Promise<ImportReport['projects'][number]> {
  const nodes: string[] = [];
  const branches: string[] = [];
  let project: Project | null = null;
  for await (const record of records) {
    if (record.type === 'node') nodes.push(record.value.id);
    else if (record.type === 'branch') branches.push(record.value.id);
    else if (record.type === 'project') project = record.value;
  }
  if (project === null) throw new MalformedError('It does not begin with its project.');
  const { id, name } = project;
  const there = await existing(id);
  if (there === null) return { id, name, format, outcome: 'new', addedNodes: nodes.length };
  const added = nodes.filter((node) => !there.nodes.has(node)).length;
  const isGrown = added > 0 || branches.some((branch) => !there.branches.has(branch));
  return { id, name, format, outcome: isGrown ? 'grown' : 'unchanged', addedNodes: added };
}
