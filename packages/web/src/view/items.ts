import type { MessageGroupView } from '@bough/api/client';

/** One thing that a reply does, as it is shown: stored, or still arriving. */
export type ShownItem = MessageGroupView['segments'][number]['items'][number];
