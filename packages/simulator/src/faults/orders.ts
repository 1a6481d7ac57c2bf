import { createHash } from 'node:crypto';
import type { Fault, FaultOrder } from './index.ts';

/** Which faults strike a request: those in its header and message, and those that were ordered in advance. */
export interface FaultDesk {
  /** An order for coming requests, of one model or of all models. */
  readonly order: (order: FaultOrder, model: string | null) => void;
  readonly clear: () => void;
  readonly striking: (request: StruckRequest) => readonly Fault[];
}

export interface StruckRequest {
  readonly model: string | null;
  /** 1 for the first call of a turn, 2 for the one after the first tool results. */
  readonly call: number;
  /** The body as received: a retry sends the same one, so that `x2` can count attempts. */
  readonly body: string;
  /** What the request itself asks for. */
  readonly own: readonly FaultOrder[];
}

const REMEMBERED_ATTEMPTS = 5_000;

export function createFaultDesk(): FaultDesk {
  let standing: { readonly order: FaultOrder; readonly model: string | null; left: number }[] = [];
  const attempts = new Map<string, number>();

  const count = (key: string): number => {
    const before = attempts.get(key) ?? 0;
    attempts.set(key, before + 1);
    if (attempts.size > REMEMBERED_ATTEMPTS) {
      const [oldest] = attempts.keys();
      if (oldest !== undefined) attempts.delete(oldest);
    }
    return before;
  };

  return {
    order: (order, model) => {
      standing.push({ order, model, left: order.times ?? Infinity });
    },
    clear: () => {
      standing = [];
    },
    striking: ({ model, call, body, own }) => {
      const faults: Fault[] = [];
      for (const order of own) {
        if (order.call !== null && order.call !== call) continue;
        const limited = order.times !== null;
        if (limited && count(attemptKey(order.fault, body)) >= (order.times ?? 0)) continue;
        faults.push(order.fault);
      }
      for (const entry of standing) {
        if (entry.left <= 0 || (entry.model !== null && entry.model !== model)) continue;
        if (entry.order.call !== null && entry.order.call !== call) continue;
        entry.left -= 1;
        faults.push(entry.order.fault);
      }
      standing = standing.filter((entry) => entry.left > 0);
      return faults;
    },
  };
}

function attemptKey(fault: Fault, body: string): string {
  return createHash('sha256').update(JSON.stringify(fault)).update(body).digest('base64');
}
