import type { Client } from '@bough/api';
import { turnLines } from '@bough/api';
import type { StreamLine } from '@bough/core';

/** What a turn did, as far as a check needs to know. */
export interface Observed {
  readonly lines: readonly StreamLine[];
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly cost: number | null;
}

export async function observe(
  client: Client,
  projectId: string,
  response: Response,
  onLine: (line: StreamLine, lines: readonly StreamLine[]) => Promise<void> = async () => undefined,
): Promise<Observed> {
  const lines: StreamLine[] = [];
  for await (const line of turnLines({ client, projectId }, { response })) {
    lines.push(line);
    await onLine(line, lines);
  }
  const last = lines.at(-1);
  const failed = lines.find((line) => line.type === 'error');
  const costs = lines.flatMap((line) => (line.type === 'usage' && line.cost !== null ? [line.cost] : []));
  return {
    lines,
    status: last?.type === 'done' ? last.status : 'broken',
    error: failed?.type === 'error' ? { code: failed.code, message: failed.message } : null,
    cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

export const say = async (client: Client, projectId: string, ref: string, message: string): Promise<Observed> =>
  observe(client, projectId, await client.chat(projectId, { ref, message }));

export const linesOf = <Type extends StreamLine['type']>(
  { lines }: Observed,
  type: Type,
): readonly Extract<StreamLine, { type: Type }>[] =>
  lines.filter((line): line is Extract<StreamLine, { type: Type }> => line.type === type);
