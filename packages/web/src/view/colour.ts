const HUES = [150, 262, 28, 205, 340, 85, 185, 310, 50, 235];

/** The colour of a branch: the chosen one, else one derived from its place in the list. */
export function branchColour(chosen: string | null, index: number): string {
  return chosen ?? `oklch(0.62 0.11 ${HUES[index % HUES.length] ?? 150})`;
}

export const BRANCH_COLOURS: readonly string[] = HUES.map((hue) => `oklch(0.62 0.11 ${hue})`);
