import type { Migration } from './migration.ts';

/**
 * The bytes of files. They are kept in pieces, outside of the rows and without compression (they are pictures and
 * PDFs): no query of a conversation touches these tables. A blob without a hash is being uploaded, or was cut off.
 *
 * A reference ties a node to a blob, so that the database itself refuses a node whose file is missing, and the removal
 * of a file that somebody has just referred to. It belongs to its project, like everything that goes with nodes; blobs
 * belong to none. What lies in the trash refers by rows of its own.
 */
export const blobs: Migration = {
  number: 13,
  name: 'blobs',
  statements: [
    `CREATE TABLE blobs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      hash text COLLATE "C" UNIQUE,
      size bigint NOT NULL DEFAULT 0,
      put_at double precision NOT NULL,
      CONSTRAINT blobs_hash CHECK (hash ~ '^[0-9a-f]{64}$')
    )`,
    `CREATE TABLE blob_pieces (
      blob_id bigint NOT NULL REFERENCES blobs ON DELETE CASCADE,
      start bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (blob_id, start)
    )`,
    `ALTER TABLE blob_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL`,
    `CREATE TABLE blob_refs (
      project_id text COLLATE "C" NOT NULL,
      node_id text COLLATE "C" NOT NULL,
      hash text COLLATE "C" NOT NULL REFERENCES blobs (hash),
      PRIMARY KEY (project_id, hash, node_id),
      CONSTRAINT blob_refs_node FOREIGN KEY (node_id, project_id)
        REFERENCES nodes (id, project_id) ON DELETE CASCADE
    )`,
    `CREATE INDEX blob_refs_of_node ON blob_refs (node_id, project_id)`,
    `CREATE INDEX blob_refs_to_blob ON blob_refs (hash)`,
    `ALTER TABLE blob_refs ALTER COLUMN project_id SET STATISTICS 0`,
    `CREATE TABLE trash_blobs (
      trash_id text COLLATE "C" NOT NULL REFERENCES trash ON DELETE CASCADE,
      hash text COLLATE "C" NOT NULL REFERENCES blobs (hash),
      PRIMARY KEY (hash, trash_id)
    )`,
    `CREATE INDEX trash_blobs_of_entry ON trash_blobs (trash_id)`,
  ],
};
