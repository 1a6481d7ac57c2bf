import { foreignExports } from '@bough/testkit';
import { describe, expect, it } from 'vitest';
import { useImports } from '../../testing/imported.ts';

const { smallEBot } = foreignExports;
const imports = useImports();

const EXPECTED = [
  'user text: How long for rye?\n\n(attachment "rye.md", not imported)',
  'assistant thinking: It depends.',
  'assistant tool-use: {"minutes":40}',
  'tool text: set',
  'assistant text: Forty minutes.',
];

describe('SmallEBot', () => {
  it('IM-96: a dump with several conversations arrives as several; a message that was replaced is a sibling', async () => {
    const { main, others, nodes, project, report, turns } = await imports.bring('dump.json', smallEBot('c1', 'c2'));
    expect(report.projects.map(({ name, addedNodes }) => [name, addedNodes])).toEqual([
      ['Bread c1', 6],
      ['Bread c2', 6],
    ]);
    expect(main).toEqual(EXPECTED);
    expect(others).toEqual(['user text: How long?']);
    expect(turns).toMatchObject([{ isThinkingMode: true, status: 'complete' }]);
    // Times without a zone are in UTC, whatever the zone of this machine.
    expect(nodes[0]?.createdAt).toBe('2026-02-20T10:00:04.123Z');
    expect(project.createdAt).toBe('2026-02-20T09:59:59.500Z');
    expect((await imports.look(report, 1)).main).toEqual(EXPECTED);
  });

  it('IM-96: everything inside its conversation, as the program serializes it', async () => {
    const { Conversations, ConversationTurns, ChatMessages, ThinkBlocks, ToolCalls } = smallEBot('c1', 'c2');
    const nested = Conversations.map((conversation) => {
      const own = <Row extends { ConversationId: string }>(rows: readonly Row[]) =>
        rows.filter(({ ConversationId }) => ConversationId === conversation.Id);
      const lists = { Messages: own(ChatMessages), ToolCalls: own(ToolCalls), ThinkBlocks: own(ThinkBlocks) };
      return { ...conversation, ...lists, Turns: own(ConversationTurns) };
    });
    for (const content of [nested, { Conversations: nested }]) {
      const { main, report } = await imports.bring('dump.json', content);
      expect(main).toEqual(EXPECTED);
      expect(report.projects).toHaveLength(2);
    }
  });

  it('IM-96: rows that belong to nobody, and what replaced a message and is gone, are named', async () => {
    const dump = smallEBot('c1', 'c2');
    const [first, second, ...others] = dump.ChatMessages;
    const path = await imports.file('dump.json', {
      ...dump,
      ChatMessages: [{ ...first, ReplacedByMessageId: 'gone' }, { ...second, ConversationId: 'nobody' }, ...others],
      ThinkBlocks: [...dump.ThinkBlocks, 7],
    });
    const { problems } = await imports.load(path, { onError: 'skip' });
    expect(problems.map(({ message }) => message)).toEqual([
      'The row must be an object.',
      'Its conversation nobody is not there.',
      'What replaced it (gone) is not there.',
    ]);
  });

  it('IM-96: the first version, which had neither thoughts nor tools', async () => {
    const { Conversations, ChatMessages } = smallEBot('c1');
    const { main } = await imports.bring('dump.json', { Conversations, ChatMessages });
    expect(main).toEqual([EXPECTED[0], EXPECTED[4]]);
  });
});
