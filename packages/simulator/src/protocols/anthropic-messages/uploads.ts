import { isPlainObject } from '@bough/core';
import { jsonAnswer } from '../../deliver/send.ts';
import { formProblem, isGiven, keepGiven, removeGiven } from '../../given-files/index.ts';
import type { Answer, SimulatedRequest } from '../../simulated-protocol.ts';
import type { World } from '../../world.ts';
import { errorAnswer } from './errors.ts';
import type { Turn } from './turns.ts';
import { list } from './turns.ts';

type Json = Readonly<Record<string, unknown>>;

const BETA = 'files-api-2025-04-14';

/** Takes a file that messages may bring into a container. */
export function takeFile(request: SimulatedRequest, world: World): Answer {
  const refuse = (message: string): Answer => {
    world.note({ kind: 'rejected', rule: 'ANT-SIM-12', detail: message });
    return errorAnswer(400, message);
  };
  const betas = (request.headers['anthropic-beta'] ?? '').split(',').map((name) => name.trim());
  if (!betas.includes(BETA)) return refuse(`This API is in beta. Name ${BETA} in the anthropic-beta header.`);
  const problem = formProblem(request);
  const sent = request.form?.file ?? null;
  if (problem !== null || sent === null) return refuse(problem ?? '');
  const { id, name, mediaType, size } = keepGiven(sent, 'file_011C', world);
  const created_at = new Date(world.now()).toISOString();
  return jsonAnswer(200, {
    id,
    type: 'file',
    filename: name,
    mime_type: mediaType,
    size_bytes: size,
    created_at,
    downloadable: false,
  });
}

export const removeFile = (id: string, world: World): Answer =>
  removeGiven(id, world)
    ? jsonAnswer(200, { id, type: 'file_deleted' })
    : errorAnswer(404, `File \`${id}\` not found.`);

/** The files that the messages bring. */
export const uploadsIn = (turns: readonly Turn[]): readonly string[] =>
  turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ type, value }) => (type === 'container_upload' ? [String(value['file_id'])] : [])),
  );

/** The files that pictures and documents name instead of bringing their bytes. */
const namedIn = (turns: readonly Turn[]): readonly string[] =>
  turns.flatMap(({ blocks }) =>
    blocks.flatMap(({ value }) => {
      const source: unknown = value['source'];
      return isPlainObject(source) && source['type'] === 'file' ? [String(source['file_id'])] : [];
    }),
  );

/** Files come with messages of the user, where code may run, and are known. */
export function judgeUploads(
  body: Json,
  turns: readonly Turn[],
  betas: readonly string[],
  world: World,
): { readonly status: number; readonly rule: string; readonly message: string } | null {
  const ids = uploadsIn(turns);
  const refused = (message: string, status = 400) => ({ status, rule: 'ANT-SIM-12', message });
  const unknownName = namedIn(turns).find((id) => !isGiven(id, world));
  if (unknownName !== undefined) return refused(`File \`${unknownName}\` not found.`, 404);
  if (ids.length === 0) return null;
  const isSaid = turns.some(({ role, blocks }) => role !== 'user' && blocks.some((b) => b.type === 'container_upload'));
  if (isSaid) return refused('messages: `container_upload` blocks are only permitted in user messages');
  const runsCode = list(body['tools']).some(
    (tool) => isPlainObject(tool) && String(tool['type']).startsWith('code_execution_'),
  );
  if (!runsCode) return refused('container_upload blocks require the code execution tool');
  if (!betas.includes(BETA)) return refused(`container_upload blocks require the beta ${BETA}`);
  const unknown = ids.find((id) => !isGiven(id, world));
  return unknown === undefined ? null : refused(`File \`${unknown}\` not found.`, 404);
}
