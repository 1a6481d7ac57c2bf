import type { ProjectId, TurnId } from '@bough/core';
import { UnknownIdError } from '@bough/core';
import { ConflictError } from '../../errors.ts';
import type { LogEntry } from '../../store.ts';
import { logText } from '../format/log.ts';
import type { Base } from '../state/base.ts';
import { projectOf } from '../state/base.ts';
import { logFile } from '../state/places.ts';
import { isOpen, logOf, turnOf } from '../state/project-state.ts';

/**
 * Appends to the log of a turn. Does not wait for writers: only its own order matters, and what several turns append
 * meanwhile shares one line of the journal.
 */
export async function appendLog(
  base: Base,
  project: ProjectId,
  turn: TurnId,
  entries: readonly LogEntry[],
): Promise<void> {
  const state = projectOf(base, project);
  const file = turnOf(state, turn);
  const log = logOf(state, turn);
  if (!isOpen(file)) throw new ConflictError('not_owner', `The turn "${turn}" has ended; its log is closed.`, null);
  if (state.leaving) throw new UnknownIdError('project', project);
  const [problem] = state.problems;
  if (problem) throw problem;
  let { lastSeq } = log;
  for (const { seq } of entries) {
    if (seq <= lastSeq) {
      throw new ConflictError('id_taken', `The log of the turn "${turn}" already has the line ${seq}.`, String(seq));
    }
    lastSeq = seq;
  }
  if (entries.length === 0) return;
  log.lastSeq = lastSeq;
  const stored = entries.map(({ seq, data }) => ({ seq, data }));
  try {
    await base.files.commit([{ type: 'append', path: logFile(state.directory, turn), text: logText(stored) }]);
  } catch (error) {
    // Everything queued after it failed too: the log ends where it did before.
    log.lastSeq = log.entries.at(-1)?.seq ?? 0;
    throw error;
  }
  log.entries.push(...stored);
}
