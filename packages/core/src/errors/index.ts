/**
 * Every error that Bough's own code throws carries a stable `code`, so that a caller can decide without reading the
 * sentence, and a `message` that tells a person what to do next.
 */
export class BoughError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** An id that names nothing. Never replaced by a fallback: in a tree, that would be data corruption. */
export class UnknownIdError extends BoughError {
  readonly kind: string;
  readonly id: string;

  /** `hint`: where a name would be found, for whoever may also give names. */
  constructor(kind: string, id: string, hint?: string) {
    super(
      'unknown_id',
      hint === undefined ? `There is no ${kind} with the id "${id}".` : `There is no ${kind} "${id}". ${hint}`,
    );
    this.kind = kind;
    this.id = id;
  }
}
