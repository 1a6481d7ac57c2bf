import type { Client } from '@bough/api';
import { readLines } from '@bough/api';
import type { StreamLine } from '@bough/core';
import { expect } from 'vitest';
import { shown } from './start.ts';

/** Reads a stream until a line arrives, or the stream ends or breaks: what a client had on its screen. */
export async function readUntil(
  response: Response,
  isEnough: (line: StreamLine, soFar: readonly StreamLine[]) => boolean,
): Promise<readonly StreamLine[]> {
  const lines: StreamLine[] = [];
  if (response.body === null) return lines;
  try {
    for await (const line of readLines(response.body)) {
      if (line.type === 'heartbeat') continue;
      lines.push(line);
      if (isEnough(line, lines)) break;
    }
  } catch (error) {
    // The server died: that is the point.
    if (!(error instanceof TypeError)) throw error;
  }
  return lines;
}

/** Waits until no turn runs at the end of the branch. */
export async function untilClosed(client: Client, project: string, ref = 'main'): Promise<void> {
  const { poll } = expect;
  // A turn whose log cannot be read is closed at the third attempt, when a lease has run out twice: that alone takes
  // twenty seconds.
  await poll(async () => (await client.history(project, { ref })).groups.at(-1)?.status, { timeout: 90_000 }).not.toBe(
    'running',
  );
}

/** Every line that a client saw of the newest turn is in the history: words, thoughts, calls, results and errors. */
export async function expectStored(
  client: Client,
  project: string,
  lines: readonly StreamLine[],
  ref = 'main',
): Promise<void> {
  const { groups } = await client.history(project, { ref });
  const reply = groups.at(-1)?.reply ?? [];
  const replies = reply.filter((node) => node.role === 'assistant' && !node.isError);
  const blocks = replies.flatMap((node) => node.contentBlocks);
  const stored = (key: 'text' | 'thinking'): string =>
    blocks.map((block) => (block.type === key && typeof block[key] === 'string' ? block[key] : '')).join('');
  expect(stored('thinking').startsWith(shown(lines, 'thinking'))).toBe(true);
  expect(stored('text').startsWith(shown(lines, 'text'))).toBe(true);
  for (const line of lines) {
    if (line.type === 'tool_call') {
      expect(blocks).toContainEqual(expect.objectContaining({ type: 'tool-use', id: line.id, name: line.name }));
    }
    if (line.type === 'tool_result') {
      const { toolCallId, content, isError } = line;
      expect(
        reply.filter((node) => node.role === 'tool' && node.toolCallId === toolCallId),
        `the result of ${toolCallId}`,
      ).toMatchObject([{ content, isError }]);
    }
    if (line.type === 'error') {
      expect(reply.filter((node) => node.isError).map((node) => node.content)).toEqual([line.message]);
    }
  }
}
