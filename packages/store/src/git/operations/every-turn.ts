import type { Turn } from '@bough/core';
import { numberOfCallFile, TURN_FILE, turnDirectory, type TurnPlace } from '../meta/layout.ts';
import { readTurn } from '../meta/records.ts';
import type { OpenProject } from '../project/open-project.ts';
import { callAt, callFilesAt, directoryOf, oldCallsOf, readEntry, type StoredCall, subjectOf } from './turn-files.ts';

/** How many are read ahead: enough to keep git busy, few enough not to hold a whole project in memory. */
const AHEAD = 64;

/** Every turn of a project, in the order of storage; those of old lines first. */
export async function* everyTurn(project: OpenProject): AsyncIterable<Turn> {
  const { oldTurns, openTurns, turns } = project.state();
  for (const { turn } of oldTurns.values()) yield turn;
  const open = new Map([...openTurns.values()].map(({ number, turn }) => [number, turn]));
  const stored = new Map([...turns.values()].map((place) => [place.number, place]));
  const numbers = [...new Set([...open.keys(), ...stored.keys()])].sort((a, b) => a - b);
  yield* readAhead(numbers, async (number) => {
    const place = stored.get(number);
    return open.get(number) ?? (place && readTurnFile(project, place));
  });
}

async function readTurnFile(project: OpenProject, place: TurnPlace): Promise<Turn> {
  const path = turnDirectory(place);
  const bytes = await readEntry(project, await directoryOf(project, path), TURN_FILE);
  return readTurn(project.id, bytes, subjectOf(project, `${path}/${TURN_FILE}`)).turn;
}

/** Every call of a project, in the order of storage; those of old lines first. */
export async function* everyCall(project: OpenProject): AsyncIterable<StoredCall> {
  const { oldTurns, turns } = project.state();
  for (const old of oldTurns.values()) yield* await oldCallsOf(project, old);
  const files = await Promise.all([...turns.values()].map((place) => callFilesAt(project, place)));
  const inOrder = files.flat().sort((a, b) => numberOfCallFile(a.name) - numberOfCallFile(b.name));
  yield* readAhead(inOrder, (file) => callAt(project, file));
}

async function* readAhead<T, Read>(
  items: readonly T[],
  read: (item: T) => Promise<Read | undefined>,
): AsyncIterable<Read> {
  for (let start = 0; start < items.length; start += AHEAD) {
    for (const value of await Promise.all(items.slice(start, start + AHEAD).map(read)))
      if (value !== undefined) yield value;
  }
}
