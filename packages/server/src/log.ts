/** Structured logs, one JSON object per line. Callers pass no content and no secrets. */
export interface Log {
  readonly info: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

export function createLog(write: (line: string) => void, now: () => Date): Log {
  const log =
    (level: 'info' | 'error') =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}) =>
      write(`${JSON.stringify({ time: now().toISOString(), level, event, ...fields })}\n`);
  return { info: log('info'), error: log('error') };
}
