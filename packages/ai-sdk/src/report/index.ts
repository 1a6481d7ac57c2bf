import type { SharedV3Warning } from '@ai-sdk/provider';
import type { ContextReason, Fidelity, Lock } from '@bough/core';

/** Why something is not sent unchanged: Bough's own reasons, and those that only this bridge has. */
export type ReplayReason =
  | ContextReason
  | 'tool_id_rewritten'
  | 'tool_name_rewritten'
  | 'thinking_restored'
  | 'thinking_damaged'
  | 'thinking_unverified'
  | 'signature_skipped'
  | 'thought_summary_stays_out'
  | 'calls_put_last'
  | 'asked_to_continue';

/** What happens to one message; each result of a tool message has a line of its own. */
export interface ReplayLine {
  /** Its position in the messages that came in. */
  readonly message: number;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly toolCallId?: string;
  readonly fidelity: Fidelity;
  /** Empty if it is sent unchanged. */
  readonly reasons: readonly ReplayReason[];
  /** For people. */
  readonly details: readonly string[];
}

/** A setting of the request that was changed. */
export interface SettingLine {
  readonly setting: string;
  readonly detail: string;
  /** Whether the caller gets less than was requested. */
  readonly loss: boolean;
}

export interface ReplayReport {
  readonly target: Lock;
  readonly messages: readonly ReplayLine[];
  readonly settings: readonly SettingLine[];
}

interface Note {
  readonly reason: ReplayReason;
  readonly detail?: string;
  readonly fidelity?: Fidelity;
}

const FROM_BEST: readonly Fidelity[] = ['verbatim', 'canonical', 'dropped'];

function worse(one: Fidelity, other: Fidelity): Fidelity {
  return FROM_BEST.indexOf(one) > FROM_BEST.indexOf(other) ? one : other;
}

/** Collects what is done to messages on their way. What is recorded as lost stays lost, whatever is noted later. */
export class ReportDraft {
  readonly #lines: ReplayLine[];
  readonly #settings: SettingLine[] = [];

  constructor(lines: readonly ReplayLine[]) {
    this.#lines = [...lines];
  }

  note(messages: readonly number[], { reason, detail, fidelity = 'canonical' }: Note): void {
    this.#lines.forEach((line, at) => {
      if (!messages.includes(line.message)) return;
      this.#lines[at] = {
        ...line,
        fidelity: worse(line.fidelity, fidelity),
        reasons: line.reasons.includes(reason) ? line.reasons : [...line.reasons, reason],
        details: detail === undefined || line.details.includes(detail) ? line.details : [...line.details, detail],
      };
    });
  }

  set(line: SettingLine): void {
    this.#settings.push(line);
  }

  finish(target: Lock): ReplayReport {
    return { target, messages: this.#lines, settings: this.#settings };
  }
}

/** Reasons that say who made a reply, or what always holds for its provider: not a loss by themselves. */
const NO_LOSS: ReadonlySet<ReplayReason> = new Set<ReplayReason>([
  'model_break',
  'no_provider_information',
  'thought_summary_stays_out',
]);

/** What the AI SDK shows as warnings: everything that is lost or changed. The report says more. */
export function warningsOf({ messages, settings }: ReplayReport): SharedV3Warning[] {
  return [
    ...messages.filter(({ reasons }) => reasons.some((reason) => !NO_LOSS.has(reason))).map(describe),
    ...settings.filter(({ loss }) => loss).map(({ setting, detail }) => `${setting}: ${detail}`),
  ].map((message) => ({ type: 'other', message: `Bough: ${message}` }));
}

const MANNER: Readonly<Record<Fidelity, string>> = {
  verbatim: 'is sent as it is',
  canonical: 'is sent changed',
  dropped: 'is not sent',
};

function describe({ message, role, toolCallId, fidelity, reasons, details }: ReplayLine): string {
  const of = toolCallId === undefined ? '' : ` for ${toolCallId}`;
  const why = [reasons.join(', '), ...details].join('; ');
  return `message ${message} (${role}${of}) ${MANNER[fidelity]}: ${why}`;
}
