import type { Growth, StreamEvent } from '@bough/core';
import { JoinedRun } from '@bough/core';

type Delta = Extract<StreamEvent, { type: 'text' | 'thinking' }>;

const isDelta = (event: StreamEvent): event is Delta => event.type === 'text' || event.type === 'thinking';

const DELTAS: Growth<StreamEvent> = {
  continues: (last, next) => isDelta(last) && isDelta(next) && last.type === next.type && last.index === next.index,
  textOf: (event) => (isDelta(event) ? event.text : ''),
  withText: (event, text) => (isDelta(event) ? { ...event, text } : event),
};

/** Events that arrived together. */
export type EventRun = JoinedRun<StreamEvent>;

export const newEventRun = (): EventRun => new JoinedRun(DELTAS);
