import { createContext } from 'react';

export interface Answer {
  readonly approve: boolean;
  readonly reason?: string;
  readonly always?: boolean;
}

export interface Approvals {
  /** The calls that wait for a person, by id. */
  readonly waiting: ReadonlySet<string>;
  readonly answer: (toolCallId: string, answer: Answer) => Promise<boolean>;
}

/** Nothing waits. */
export const NO_APPROVALS: Approvals = { waiting: new Set(), answer: () => Promise.resolve(false) };

/** Provided by a running reply to the calls anywhere inside it. */
export const Approvals = createContext<Approvals>(NO_APPROVALS);
