import { foreignExports } from '@bough/testkit';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { useImports } from './testing/imported.ts';

const { openWebUi, smallEBot } = foreignExports;
const imports = useImports();

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A database with one table for each list, and a column for each name that a row has. */
function databaseOf(tables: Readonly<Record<string, Rows>>): string {
  const path = join(imports.dir(), 'foreign.db');
  const database = new sqlite.Database(path);
  for (const [table, rows] of Object.entries(tables)) {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    database.exec(`CREATE TABLE "${table}" (${columns.map((column) => `"${column}"`).join(', ') || 'x'})`);
    for (const row of rows) {
      const values = columns.map((column) => (row[column] ?? null) as string | number | null);
      database.run(`INSERT INTO "${table}" VALUES (${columns.map(() => '?').join(', ')})`, values);
    }
  }
  database.close();
  return path;
}

describe('databases of other programs', () => {
  it("IM-97: SmallEBot's is read as it is, and is the same as its dump", async () => {
    const path = databaseOf({ ...smallEBot('c1', 'c2') });
    const before = await readFile(path);
    const fromFile = await imports.look(await imports.load(path));
    expect(fromFile.report.projects).toHaveLength(2);
    expect(fromFile.turns).toMatchObject([{ isThinkingMode: true }]);
    const again = await imports.bring('dump.json', smallEBot('c1', 'c2'));
    expect(again.report.projects.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
    expect(again.nodes).toEqual(fromFile.nodes);
    expect(await readFile(path)).toEqual(before);
  });

  it('IM-97: the first version of SmallEBot had two tables', async () => {
    const { Conversations, ChatMessages } = smallEBot('c1');
    const { main } = await imports.look(await imports.load(databaseOf({ Conversations, ChatMessages })));
    expect(main).toHaveLength(2);
  });

  it("IM-97: Open WebUI's is read as its export is", async () => {
    const { chat, meta, archived, pinned, ...row } = openWebUi();
    const stored = {
      ...row,
      chat: JSON.stringify(chat),
      meta: JSON.stringify(meta),
      archived: +archived,
      pinned: +pinned,
    };
    const report = await imports.load(databaseOf({ chat: [stored], user: [], config: [] }));
    const { project } = await imports.look(report);
    expect(project.pinned).toBe(true);
    expect((await imports.bring('chats.json', [openWebUi()])).report.projects).toMatchObject([
      { outcome: 'unchanged' },
    ]);
  });

  it("IM-92: Cherry Studio's tree comes with siblings, parts, models and what was stopped; the trash stays there", async () => {
    const message = (id: string, parent: string | null, role: string, parts: readonly object[], more: object = {}) => ({
      id,
      parent_id: parent,
      topic_id: 't',
      role,
      data: JSON.stringify({ parts }),
      status: 'success',
      model_id: null,
      message_snapshot: null,
      stats: null,
      created_at: 1_760_000_000_000,
      deleted_at: null,
      ...more,
    });
    const said = (text: string) => [{ type: 'text', text }];
    const path = databaseOf({
      assistant: [{ id: 'as', name: 'Coder', prompt: 'You code.' }],
      topic: [
        {
          id: 't',
          name: 'Sorting',
          assistant_id: 'as',
          active_node_id: 'm5',
          created_at: 1_760_000_000_000,
          deleted_at: null,
        },
        {
          id: 'x',
          name: 'Gone',
          assistant_id: 'as',
          active_node_id: null,
          created_at: 1_760_000_000_000,
          deleted_at: 5,
        },
      ],
      message: [
        message('m0', null, 'root', []),
        message('m1', 'm0', 'user', said('Sort')),
        message('m2', 'm1', 'assistant', [{ type: 'reasoning', text: 'Quick.' }, ...said('Quicksort.')], {
          model_id: 'anthropic::claude-x',
        }),
        message('m3', 'm1', 'assistant', [{ type: 'data-error', data: { message: 'Overloaded' } }], {
          status: 'error',
          message_snapshot: JSON.stringify({ model: { id: 'gpt-x' } }),
        }),
        message('m4', 'm2', 'user', said('Thanks')),
        message('m5', 'm4', 'assistant', [{ type: 'data-code', data: { language: 'js', content: 'sort()' } }], {
          status: 'paused',
          model_id: 'anthropic::claude-x',
        }),
        message('m6', 'm4', 'assistant', said('Thrown away'), { deleted_at: 5 }),
      ],
    });
    const { main, others, project, report } = await imports.look(await imports.load(path));
    expect(main).toEqual([
      'user text: Sort',
      'assistant (claude-x) thinking: Quick.',
      'assistant (claude-x) text: Quicksort.',
      'user text: Thanks',
      'assistant (claude-x) stopped text: ```js\nsort()\n```',
    ]);
    expect(others).toEqual(['assistant (gpt-x) error text: Overloaded']);
    expect(project).toMatchObject({ name: 'Sorting', systemPrompt: 'You code.', folder: 'Coder' });
    expect(report.leftOut).toEqual({ 'deleted topic': 1, 'deleted message': 1 });
  });

  it('IM-103: any other database is refused with the names of its tables', async () => {
    const path = databaseOf({ accounts: [{ id: 1 }], contacts: [{ id: 1 }] });
    await expect(imports.load(path)).rejects.toMatchObject({
      code: 'unknown_source',
      message: expect.stringMatching(/tables accounts, contacts.*Bough reads/s),
    });
  });
});
