import type { ContentBlock } from '@bough/core';
import { isCanvasBlock } from '@bough/core';

/** A version of the canvas that no model is told about has no text of its own: it would be shown as silence. */
export const versionsIn = (blocks: readonly ContentBlock[]): readonly string[] =>
  blocks.filter(isCanvasBlock).map(({ text }) => `[canvas, ${text.length} characters]`);
