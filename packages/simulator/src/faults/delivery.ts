import type { Fault } from './index.ts';

/** What is done to the socket, in order. */
export type Step =
  | { readonly type: 'write'; readonly bytes: Uint8Array }
  | { readonly type: 'wait'; readonly ms: number }
  /** Silence until the client hangs up or the server closes. */
  | { readonly type: 'hang' }
  /** The connection breaks here: no clean end. */
  | { readonly type: 'destroy' };

/** Frames that are written together when no pace was asked for: one system call instead of dozens. */
const FRAMES_PER_WRITE = 32;

/** Far enough apart in time to arrive in separate packets. */
const PADDING = Buffer.from(' \n');
const PADDING_MS = 3;

const GARBAGE = Buffer.concat([
  Buffer.from('data: {"never": closed, '),
  Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xf0, 0x9f]),
  Buffer.from('\n\n'),
]);

/**
 * Turns frames and faults into the steps of their delivery. Pure: the same input is torn at the same places. Lazy: all
 * steps of sixty-four long replies took three hundred megabytes of the server that the simulator runs in.
 */
export function planDelivery(
  frames: readonly string[],
  faults: readonly Fault[],
  errorFrame: (kind: 'overloaded' | 'server') => string,
): Iterable<Step> {
  const steps = wholeSteps(frames, faults, errorFrame);
  const rechunk = find(faults, 'rechunk');
  return rechunk === undefined ? steps : rechunked(steps, rechunk);
}

function* wholeSteps(
  frames: readonly string[],
  faults: readonly Fault[],
  errorFrame: (kind: 'overloaded' | 'server') => string,
): Generator<Step, void> {
  const paceMs = find(faults, 'pace')?.ms ?? 0;
  for (let piece = find(faults, 'pad')?.pieces ?? 0; piece > 0; piece -= 1) {
    yield { type: 'write', bytes: PADDING };
    yield { type: 'wait', ms: PADDING_MS };
  }
  const ending = strikingFaults(faults);
  let group: string[] = [];
  function* flush(): Generator<Step, void> {
    if (group.length === 0) return;
    const bytes = Buffer.from(group.join(''));
    group = [];
    yield { type: 'write', bytes };
  }

  for (let sent = 0; sent <= frames.length; sent += 1) {
    for (const fault of ending.filter((candidate) => Math.min(candidate.after, frames.length) === sent)) {
      yield* flush();
      yield stepOf(fault, errorFrame);
      if (isLast(fault)) return;
    }
    const frame = frames[sent];
    if (frame === undefined) break;
    group.push(frame);
    if (paceMs > 0) {
      yield* flush();
      yield { type: 'wait', ms: paceMs };
    } else if (group.length >= FRAMES_PER_WRITE) {
      yield* flush();
    }
  }
  yield* flush();
}

type Striking = Extract<Fault, { readonly after: number }>;

/** The faults that strike at an event, earliest first. */
function strikingFaults(faults: readonly Fault[]): readonly Striking[] {
  return faults.filter((fault): fault is Striking => 'after' in fault).toSorted((a, b) => a.after - b.after);
}

function stepOf(fault: Striking, errorFrame: (kind: 'overloaded' | 'server') => string): Step {
  switch (fault.type) {
    case 'cut':
      return { type: 'destroy' };
    case 'error':
      return { type: 'write', bytes: Buffer.from(errorFrame(fault.kind)) };
    case 'stall':
      return fault.ms === null ? { type: 'hang' } : { type: 'wait', ms: fault.ms };
    case 'garbage':
      return { type: 'write', bytes: GARBAGE };
  }
}

/** Nothing can follow it. */
function isLast(fault: Striking): boolean {
  return fault.type === 'cut' || fault.type === 'error' || (fault.type === 'stall' && fault.ms === null);
}

/**
 * Tears every write into pieces of 1 to 40 bytes, with a pause of zero between them so that they are sent one by one.
 */
function* rechunked(steps: Iterable<Step>, { seed }: Extract<Fault, { type: 'rechunk' }>): Generator<Step, void> {
  const random = mulberry32(seed);
  for (const step of steps) {
    if (step.type !== 'write') {
      yield step;
      continue;
    }
    for (let start = 0; start < step.bytes.length;) {
      const end = Math.min(step.bytes.length, start + 1 + Math.floor(random() * 40));
      yield { type: 'write', bytes: step.bytes.subarray(start, end) };
      yield { type: 'wait', ms: 0 };
      start = end;
    }
  }
}

function find<Type extends Fault['type']>(
  faults: readonly Fault[],
  type: Type,
): Extract<Fault, { type: Type }> | undefined {
  return faults.find((fault): fault is Extract<Fault, { type: Type }> => fault.type === type);
}

/** A small seeded generator: the cuts must be the same on every run. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
