// A text is formatted within these limits; beyond them, it is shown as it was written.

/** Characters of a text, and of one block of it. */
export const MAX_TEXT = 1_000_000;
export const MAX_BLOCK = 100_000;
/** Nesting of quotes and lists: deeper ones leave no room for words. */
export const MAX_NESTING = 16;
/** Nesting of any elements; formulas nest the deepest. The code that walks the tree is recursive. */
export const MAX_DEPTH = 250;
/** Per text and per block: a page cannot insert more without a noticeable pause. */
export const MAX_ELEMENTS = 15_000;
/** A block with more characters is shown in one colour: each word of its code would become an element. */
export const MAX_COLOURED = 30_000;
/**
 * How long a block and a whole text may take. A thousand characters take about ten milliseconds; the rest is headroom
 * for slow and busy machines.
 */
export const blockMs = (length: number): number => 2_000 + length / 20;
export const textMs = (length: number): number => 10_000 + length / 20;
