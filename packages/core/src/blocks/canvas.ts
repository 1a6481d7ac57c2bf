import type { ContentBlock } from './index.ts';

/**
 * A version of the project's document. The newest one on a path counts, so that a fork inherits it. No model gets this
 * block: what a model is told about the version stands beside it as text, written once.
 */
export interface CanvasBlock {
  readonly type: 'canvas';
  /** All of the document, in Markdown. */
  readonly text: string;
  readonly by: 'person' | 'model';
  /** Whether models are told about the versions that people write. */
  readonly inContext: boolean;
  /** The version of another branch that was merged into this one. */
  readonly mergedFrom?: string;
}

export const isCanvasBlock = (block: ContentBlock): block is CanvasBlock => {
  const { type, text, by, inContext, mergedFrom } = block as Readonly<Record<string, unknown>>;
  return (
    type === 'canvas' &&
    typeof text === 'string' &&
    (by === 'person' || by === 'model') &&
    typeof inContext === 'boolean' &&
    (mergedFrom === undefined || typeof mergedFrom === 'string')
  );
};
