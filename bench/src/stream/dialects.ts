import { createHash } from 'node:crypto';

/** How a contestant writes its answer. */
export type Dialect = 'provider events' | 'ui message stream' | 'bough lines';

export interface Arrival {
  readonly bytes: Buffer;
  /** In microseconds, on the clock that all processes of a machine share. */
  readonly at: number;
}

/** What a client received, in a form that can be compared between contestants. */
export interface Received {
  readonly thinking: string;
  readonly text: string;
  /** Whether the answer itself says that it is complete. */
  readonly whole: boolean;
  /** Milliseconds from the provider writing a delta to its arrival, if the provider stamped its deltas. */
  readonly delays: readonly number[];
}

interface Said {
  readonly thinking?: string;
  readonly text?: string;
  readonly whole?: boolean;
}

/** A delta that says when it was written. */
export const stamp = (micros: number): string => `@${micros};`;
const STAMP = /@(\d+);/g;

export function clockMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

export function read(dialect: Dialect, arrivals: readonly Arrival[]): Received {
  const thinking = createHash('sha256');
  const text = createHash('sha256');
  const delays: number[] = [];
  let whole = false;
  for (const { line, at } of linesOf(arrivals)) {
    const said = READERS[dialect](line);
    thinking.update(said.thinking ?? '');
    text.update(said.text ?? '');
    whole ||= said.whole ?? false;
    for (const [, written] of `${said.thinking ?? ''}${said.text ?? ''}`.matchAll(STAMP)) {
      delays.push((at - Number(written)) / 1_000);
    }
  }
  return { thinking: thinking.digest('hex'), text: text.digest('hex'), whole, delays };
}

/** Each line, with the time at which its last byte arrived. */
function* linesOf(arrivals: readonly Arrival[]): Generator<{ readonly line: string; readonly at: number }> {
  const decoder = new TextDecoder();
  let rest = '';
  for (const { bytes, at } of arrivals) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield { line, at };
  }
}

const NOTHING: Said = {};

const READERS: Readonly<Record<Dialect, (line: string) => Said>> = {
  'provider events': (line) => {
    const { type, delta } = JSON.parse(line);
    if (type === 'content_block_delta') return { thinking: delta.thinking, text: delta.text };
    return type === 'message_stop' ? { whole: true } : NOTHING;
  },
  'ui message stream': (line) => {
    if (!line.startsWith('data: {')) return NOTHING;
    const { type, delta } = JSON.parse(line.slice('data: '.length));
    if (type === 'reasoning-delta') return { thinking: delta };
    if (type === 'text-delta') return { text: delta };
    return type === 'finish' ? { whole: true } : NOTHING;
  },
  'bough lines': (line) => {
    const { type, content, status } = JSON.parse(line);
    if (type === 'thinking') return { thinking: content };
    if (type === 'text') return { text: content };
    return type === 'done' ? { whole: status === 'complete' } : NOTHING;
  },
};
