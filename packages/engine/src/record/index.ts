import { deriveTextFromBlocks } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { Outcome } from '../turn/end.ts';
import type { TurnRunner } from '../turn/runner.ts';
import type { RecordedPlace } from './begin.ts';
import { begin } from './begin.ts';
import type { RecordedCall, RecordedTurn } from './recording.ts';
import { Recording } from './recording.ts';

export type { RecordedMessage, RecordedPlace } from './begin.ts';
export type { RecordedCall, RecordedEnd, RecordedReply, RecordedTurn } from './recording.ts';

/**
 * Records a call that another program makes through Bough. The turn is one like any other: it has an owner with a
 * lease, whoever watches it sees it live, and if this server dies, another closes it with what its client had seen.
 * What the client said is stored when this resolves.
 */
export async function record(
  env: Environment,
  runner: TurnRunner,
  place: RecordedPlace,
  call: RecordedCall,
): Promise<RecordedTurn> {
  const start = await begin(env, runner.leaseMs, place);
  let over: (outcome: Outcome) => void = () => undefined;
  const running = runner.record(start, new Promise((resolve) => (over = resolve)));
  const results = place.messages.filter(({ role }) => role === 'tool');
  for (const { toolCallId = '', contentBlocks, isError = false } of results) {
    const content = deriveTextFromBlocks(contentBlocks);
    const line = { type: 'tool_result', toolCallId, content, isError, durationMs: 0 } as const;
    // A log that cannot be written is met when the call begins.
    running.log.write({ lines: [line] }).catch(() => undefined);
  }
  return new Recording(env, running, call, over);
}
