/** A stable number from a text: the same message always gets the same answer. */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function pick<T>(choices: readonly [T, ...T[]], seed: string): T {
  return choices[numberOf(seed) % choices.length] ?? choices[0];
}
