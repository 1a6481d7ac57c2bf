/** What was opened, to be closed in reverse order. (`AsyncDisposableStack`, which Node 20 lacks.) */
export interface Closers {
  readonly add: (close: () => unknown) => void;
  /** Closes everything, even after one fails; then throws the first error. Later calls wait for the first one. */
  readonly closeAll: () => Promise<void>;
}

export function createClosers(): Closers {
  const open: (() => unknown)[] = [];
  let closing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    const failed: unknown[] = [];
    for (let close = open.pop(); close !== undefined; close = open.pop()) {
      try {
        await close();
      } catch (error) {
        failed.push(error);
      }
    }
    if (failed.length > 0) throw failed[0];
  };
  return {
    add: (close) => {
      open.push(close);
    },
    closeAll: () => (closing ??= closeAll()),
  };
}
