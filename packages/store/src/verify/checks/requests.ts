import type { Call, CallId, Piece } from '@bough/core';
import type { Finding } from '../finding.ts';
import type { ProjectIndex } from '../project-index.ts';
import { renderingName } from '../project-index.ts';

/** Every request that a client of the gateway sent can be rebuilt from its pieces. */
export function checkRequests(index: ProjectIndex): readonly Finding[] {
  const { project, calls } = index;
  const byId = new Map(calls.map((call) => [call.id, call]));
  return calls.flatMap(({ id, exchange }) => {
    const pieces = [...(exchange?.came ?? []), ...(exchange?.sent ?? [])];
    if (pieces.every((piece) => isThere(index, byId, piece))) return [];
    return [
      {
        code: 'request_incomplete',
        severity: 'note',
        projectId: project.id,
        subject: `call ${id}`,
        message: 'Its request cannot be shown as it was sent: something that it was made of does not exist any more.',
        repair: null,
      },
    ];
  });
}

function isThere(index: ProjectIndex, calls: ReadonlyMap<CallId, Call>, piece: Piece): boolean {
  if ('node' in piece) return index.renderings.has(renderingName(piece.node, piece.key));
  const exchange = calls.get(piece.call)?.exchange;
  const body = piece.of === 'sent' ? (exchange?.sent ?? exchange?.came) : exchange?.came;
  return body !== undefined && piece.from <= piece.to && piece.to <= body.length;
}
