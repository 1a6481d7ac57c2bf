import type { MessageGroupView } from '@bough/api/client';
import type { TimelineItem } from '@bough/core';

/** One thing that a reply does, as it is shown: stored, or still arriving. */
export type ShownItem = MessageGroupView['segments'][number]['items'][number] | TimelineItem;
