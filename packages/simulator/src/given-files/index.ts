import { isPlainObject } from '@bough/core';
import type { SentForm, SimulatedRequest } from '../simulated-protocol.ts';
import type { World } from '../world.ts';

// Files that clients gave the simulated vendor, for the containers of code. Bytes are not kept: what a file is, is
// known by its name and its hash.

const GIVEN = 'given file';
const IN_CONTAINER = 'files in container';
const PROOF = 8;

/** The vendors take 500 MB and more; a request to the simulator is smaller than that. */
export const MOST_BYTES = 32 * 1024 * 1024;

export type GivenFile = NonNullable<SentForm['file']> & { readonly id: string };

/** Why a form is not taken: in the words of neither vendor, but always for a reason that both have. */
export function formProblem({ form }: SimulatedRequest): string | null {
  if (form === undefined || form === null) return 'Could not parse multipart form';
  if (form.file === null) return "'file' is a required property";
  if (form.file.size === 0) return 'File is empty.';
  if (form.file.size > MOST_BYTES) return `File is larger than ${MOST_BYTES} bytes.`;
  return /[<>:"|?*\\/]/.test(form.file.name) ? `Invalid file name: ${form.file.name}` : null;
}

/** An id carries its own proof: a file that was given before a restart is known after it. */
export function keepGiven(file: NonNullable<SentForm['file']>, prefix: string, world: World): GivenFile {
  const name = world.newId(prefix, 16);
  const id = `${name}${proofOf(name, world)}`;
  world.remember(GIVEN, id, file);
  return { ...file, id };
}

const proofOf = (name: string, world: World): string => world.sign(GIVEN, name).replaceAll(/\W/g, '0').slice(0, PROOF);

export const isGiven = (id: string, world: World): boolean =>
  proofOf(id.slice(0, -PROOF), world) === id.slice(-PROOF) && world.recall(GIVEN, id) !== null;

/** Removed by its owner: whoever names it from now on is refused. */
export function removeGiven(id: string, world: World): boolean {
  const isKnown = isGiven(id, world);
  if (isKnown) world.remember(GIVEN, id, null);
  return isKnown;
}

/** Puts files into a container, beside those that are there, and says what code that lists them would see. */
export function listing(container: string, ids: readonly string[], world: World): string {
  const before = world.recall(IN_CONTAINER, container);
  const all = [...new Set([...(Array.isArray(before) ? before.map(String) : []), ...ids])];
  world.remember(IN_CONTAINER, container, all);
  return all.map((id) => lineOf(id, world)).join('');
}

function lineOf(id: string, world: World): string {
  const file = world.recall(GIVEN, id);
  return isPlainObject(file) ? `${String(file['name'])} ${String(file['hash'])}\n` : `${id}\n`;
}

/** Code that looks around. */
export const lists = (code: string): boolean => /(?:^|\W)(?:ls|listdir)\b/.test(code);
