import type { Migration } from './migration.ts';

/**
 * What a turn writes is mostly index entries, so there are fewer and shorter ones.
 *
 * An id is more selective than its project: where it leads, the upper levels of an index hold the id alone, a
 * comparison is decided at once, and the key of the nodes also finds a node whose project is not known. The project
 * comes second, because ids may repeat between projects. Whole projects are read and removed by their positions.
 *
 * No index holds a branch's tip, its one column that changes all the time: so a move touches no index. Removing nodes
 * searches the branches of their project instead.
 *
 * Open turns are few: one index of them serves every query about them, and keeps one per branch. A call belongs to its
 * turn's project, and need not reference it a second time.
 */
export const leanIndexes: Migration = {
  number: 4,
  name: 'lean indexes',
  statements: [
    `ALTER TABLE raws DROP CONSTRAINT raws_call`,
    `ALTER TABLE renderings DROP CONSTRAINT renderings_node`,
    `ALTER TABLE stream_log DROP CONSTRAINT stream_log_turn`,
    `ALTER TABLE branches DROP CONSTRAINT branches_tip, DROP CONSTRAINT branches_forked_from, SET (fillfactor = 75)`,
    `ALTER TABLE calls DROP CONSTRAINT calls_project_id_fkey, DROP CONSTRAINT calls_turn, DROP CONSTRAINT calls_node`,
    `ALTER TABLE nodes DROP CONSTRAINT nodes_parent, DROP CONSTRAINT nodes_turn`,
    `DROP INDEX nodes_id, nodes_children, nodes_of_turn, branches_at_tip, calls_of_turn, calls_of_node,
      turns_one_open_per_branch, turns_open, turns_running, turns_lease`,

    ...['turns', 'nodes', 'calls'].map(
      (table) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey, ADD PRIMARY KEY (id, project_id)`,
    ),
    `CREATE INDEX nodes_children ON nodes (parent_id, project_id, match_key)`,
    `CREATE INDEX nodes_of_turn ON nodes (turn_id, project_id)`,
    `CREATE INDEX calls_of_turn ON calls (turn_id, project_id, position)`,
    `CREATE INDEX calls_of_node ON calls (node_id, project_id, position)`,
    // Turns without a branch are in it too: null equals nothing.
    `CREATE UNIQUE INDEX turns_one_open_per_branch ON turns (project_id, branch_id)
      WHERE status IN ('running', 'awaiting_approval')`,

    `ALTER TABLE nodes
      ADD CONSTRAINT nodes_parent FOREIGN KEY (parent_id, project_id) REFERENCES nodes (id, project_id) ON DELETE CASCADE,
      ADD CONSTRAINT nodes_turn FOREIGN KEY (turn_id, project_id) REFERENCES turns (id, project_id) ON DELETE CASCADE`,
    `ALTER TABLE calls
      ADD CONSTRAINT calls_turn FOREIGN KEY (turn_id, project_id) REFERENCES turns (id, project_id) ON DELETE CASCADE,
      ADD CONSTRAINT calls_node FOREIGN KEY (node_id, project_id) REFERENCES nodes (id, project_id) ON DELETE CASCADE`,
    `ALTER TABLE branches
      ADD CONSTRAINT branches_tip FOREIGN KEY (tip_id, project_id) REFERENCES nodes (id, project_id)
        ON DELETE SET NULL (tip_id),
      ADD CONSTRAINT branches_forked_from FOREIGN KEY (forked_from_id, project_id) REFERENCES nodes (id, project_id)
        ON DELETE SET NULL (forked_from_id)`,
    `ALTER TABLE stream_log
      ADD CONSTRAINT stream_log_turn FOREIGN KEY (turn_id, project_id) REFERENCES turns (id, project_id) ON DELETE CASCADE`,
    `ALTER TABLE renderings
      ADD CONSTRAINT renderings_node FOREIGN KEY (node_id, project_id) REFERENCES nodes (id, project_id) ON DELETE CASCADE`,
    `ALTER TABLE raws
      ADD CONSTRAINT raws_call FOREIGN KEY (call_id, project_id) REFERENCES calls (id, project_id) ON DELETE CASCADE`,
  ],
};
