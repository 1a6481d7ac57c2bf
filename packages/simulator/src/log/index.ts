/** One line of `GET /__simulator/log`. */
export interface LogEntry {
  readonly number: number;
  readonly kind: 'accepted' | 'rejected' | 'silent_drop' | 'fault';
  readonly path: string;
  readonly model: string | null;
  readonly rule?: string;
  readonly detail: string;
  /** Reasoning that did not come back although it would have been taken, as it was given. */
  readonly withheld?: readonly string[];
}

export interface RequestLog {
  readonly add: (entry: Omit<LogEntry, 'number'>) => void;
  readonly entries: () => readonly LogEntry[];
  readonly clear: () => void;
}

/** Keeps the newest entries: a simulator that runs for weeks must not grow. */
export function createLog(limit = 2_000): RequestLog {
  let entries: LogEntry[] = [];
  let count = 0;
  return {
    add: (entry) => {
      count += 1;
      entries.push({ number: count, ...entry });
      if (entries.length > limit * 2) entries = entries.slice(-limit);
    },
    entries: () => entries.slice(-limit),
    clear: () => {
      entries = [];
    },
  };
}
