import type { Call, RawResponse } from '@bough/core';
import type { Insertable, Transaction } from 'kysely';
import { callRow } from '../rows/call.ts';
import { insertRows } from '../rows/insert.ts';
import type { RawRow, Tables } from '../tables.ts';
import { packRaw } from './raw.ts';

/** A call with its raw ready to store: compressed before the transaction begins, so that no lock waits for it. */
export interface PackedCall {
  readonly call: Call;
  readonly bytes: Buffer | null;
}

export async function packCalls(
  calls: readonly { readonly call: Call; readonly raw: RawResponse | null }[],
): Promise<readonly PackedCall[]> {
  return Promise.all(calls.map(async ({ call, raw }) => ({ call, bytes: raw === null ? null : await packRaw(raw) })));
}

export async function insertCalls(trx: Transaction<Tables>, calls: readonly PackedCall[]): Promise<void> {
  await insertRows(
    trx,
    'calls',
    calls.map(({ call }) => callRow(call)),
  );
  await insertRows(trx, 'raws', calls.flatMap(rawRows));
}

/** None where no raw was kept. */
export function rawRows({ call, bytes }: PackedCall): readonly Insertable<RawRow>[] {
  return bytes === null ? [] : [{ project_id: call.projectId, call_id: call.id, bytes }];
}
