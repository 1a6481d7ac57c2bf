import { aroundPlaces, segmentsOf } from '../files/place.ts';
import { hasLoneSurrogate, withoutLoneSurrogates } from './json-text.ts';

// A place for a file is written with half characters, and filled before anything is sent: it is none of those that a
// server would refuse.

/** Whether a body, as JSON text, holds half of a character. */
export function hasHalfCharacter(json: string): boolean {
  return segmentsOf(json).some((part) => typeof part === 'string' && hasLoneSurrogate(part));
}

/** The same JSON text with each half of a character replaced. */
export function withoutHalfCharacters(json: string): string {
  return aroundPlaces(json, withoutLoneSurrogates);
}
