import type { Annotation, AnnotationQuery } from '@bough/core';
import { inAnnotationOrder, newestAnnotationFirst, requireAnnotation, UnknownIdError } from '@bough/core';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Store } from '../store.ts';
import type { Database } from './connection/pool.ts';
import { inTransaction, repeatable } from './connection/transaction.ts';
import { annotationOf, annotationRow } from './rows/annotation.ts';
import { insertRows } from './rows/insert.ts';
import type { Tables } from './tables.ts';

export function annotationMethods(database: Database): Pick<Store, 'annotations' | 'annotate'> {
  return {
    annotations: (query) =>
      repeatable(database, async (db) => {
        if (query.projectId !== undefined) {
          const found = await db
            .selectFrom('projects')
            .select('id')
            .where('id', '=', query.projectId)
            .executeTakeFirst();
          if (found === undefined) throw new UnknownIdError('project', query.projectId);
        }
        return (await readAnnotations(db, query)).toSorted(newestAnnotationFirst);
      }),

    annotate: async (project, { put, remove }) => {
      const given = put.map((annotation) => ({ ...annotation, projectId: project }));
      given.forEach(requireAnnotation);
      await inTransaction(database, async (trx) => {
        const found = await sql`SELECT FROM projects WHERE id = ${project} FOR KEY SHARE`.execute(trx);
        if (found.rows.length === 0) throw new UnknownIdError('project', project);
        // Locked in one order, so that two writers never wait for each other, and so that none is deleted meanwhile.
        const wanted = [...new Set(given.map(({ nodeId }) => nodeId))].sort();
        const { rows } = await sql<{ id: string }>`
          SELECT id FROM nodes WHERE project_id = ${project} AND id = ANY(${wanted}) ORDER BY id FOR KEY SHARE`.execute(
          trx,
        );
        const there = new Set(rows.map(({ id }) => id));
        for (const id of wanted) if (!there.has(id)) throw new UnknownIdError('node', id);
        for (const { nodeId, kind, name } of [...remove, ...given].sort(inAnnotationOrder))
          await trx
            .deleteFrom('annotations')
            .where('project_id', '=', project)
            .where('node_id', '=', nodeId)
            .where('kind', '=', kind)
            .where('name', '=', name)
            .execute();
        // Of two writers that put the same one at the same time, the later one counts.
        await insertRows(
          trx,
          'annotations',
          given.toSorted(inAnnotationOrder).map(annotationRow),
          `ON CONFLICT (project_id, node_id, kind, name) DO UPDATE SET
            text = EXCLUDED.text, changed_at = EXCLUDED.changed_at, verdict = EXCLUDED.verdict, blind = EXCLUDED.blind`,
        );
      });
    },
  };
}

/** In the order of their keys. */
export async function readAnnotations(
  db: Kysely<Tables>,
  { projectId, nodes, kinds }: AnnotationQuery,
): Promise<readonly Annotation[]> {
  const rows = await db
    .selectFrom('annotations')
    .selectAll()
    .$if(projectId !== undefined, (all) => all.where('project_id', '=', projectId ?? ''))
    .$if(nodes !== undefined, (all) => all.where(sql<boolean>`node_id = ANY(${[...(nodes ?? [])]}::text[])`))
    .$if(kinds !== undefined, (all) => all.where(sql<boolean>`kind = ANY(${[...(kinds ?? [])]}::text[])`))
    .orderBy('project_id')
    .orderBy('node_id')
    .orderBy('kind')
    .orderBy('name')
    .execute();
  return rows.flatMap((row) => annotationOf(row) ?? []);
}
