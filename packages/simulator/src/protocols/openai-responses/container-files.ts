import { isPlainObject } from '@bough/core';
import { jsonAnswer } from '../../deliver/send.ts';
import { formProblem, isGiven, keepGiven, removeGiven } from '../../given-files/index.ts';
import type { Answer, SimulatedRequest } from '../../simulated-protocol.ts';
import type { World } from '../../world.ts';
import { refuse } from './errors.ts';
import type { HistoryFinding } from './history.ts';
import type { Json } from './wire.ts';
import { records, strings, text } from './wire.ts';

const PURPOSES = new Set(['user_data', 'assistants']);

/** Takes a file that the code interpreter may be given. */
export function takeFile(request: SimulatedRequest, world: World): Answer {
  const purpose = request.form?.fields['purpose'] ?? '';
  const problem =
    formProblem(request) ?? (PURPOSES.has(purpose) ? null : `'${purpose}' is not one of the purposes of a file.`);
  const sent = request.form?.file ?? null;
  if (problem !== null || sent === null) {
    world.note({ kind: 'rejected', rule: 'SIM-OAR-FILE', detail: problem ?? '' });
    return refuse({ status: 400, message: problem ?? '', param: 'file', code: null });
  }
  const { id, name, size } = keepGiven(sent, 'file-', world);
  const created_at = Math.floor(world.now() / 1000);
  return jsonAnswer(200, {
    id,
    object: 'file',
    bytes: size,
    created_at,
    filename: name,
    purpose,
    status: 'processed',
    expires_at: null,
  });
}

export const removeFile = (id: string, world: World): Answer =>
  removeGiven(id, world)
    ? jsonAnswer(200, { id, object: 'file', deleted: true })
    : refuse({ status: 404, message: `No such File object: ${id}`, param: 'id', code: null });

/** The files that a code interpreter is given. */
export const filesOfTool = ({ container }: Json): readonly string[] =>
  isPlainObject(container) ? strings(container['file_ids']) : [];

export function judgeFiles(body: Json, world: World): HistoryFinding | null {
  for (const [at, tool] of records(body['tools']).entries()) {
    if (text(tool['type']) !== 'code_interpreter') continue;
    const unknown = filesOfTool(tool).find((id) => !isGiven(id, world));
    if (unknown === undefined) continue;
    const param = `tools[${at}].container.file_ids`;
    return { rule: 'SIM-OAR-FILE', status: 404, message: `No such File object: ${unknown}`, param, code: null };
  }
  for (const [at, item] of records(body['input']).entries()) {
    for (const key of ['content', 'output']) {
      const unknown = records(item[key]).find(({ file_id: id }) => typeof id === 'string' && !isGiven(id, world));
      if (unknown === undefined) continue;
      const message = `No such File object: ${text(unknown['file_id'])}`;
      return { rule: 'SIM-OAR-FILE', status: 404, message, param: `input[${at}].${key}`, code: null };
    }
  }
  return null;
}
