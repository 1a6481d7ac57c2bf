import type { NodeId, ToolDefinition, Verdict } from '@bough/core';
import { BoughError, VERDICTS } from '@bough/core';

/**
 * `messages`: whole conversations, as OpenAI's fine-tuning and TRL read them. `prompt-completion`: one record per
 * reply. `sharegpt`: whole conversations, as ShareGPT's successors read them. `preference`: two replies to one prompt.
 */
export const DATASET_SHAPES = ['messages', 'prompt-completion', 'sharegpt', 'preference'] as const;
export type DatasetShape = (typeof DATASET_SHAPES)[number];

export const DATASET_FORMATS = ['jsonl', 'parquet'] as const;
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

/** `field`: as `reasoning_content` beside the text. `think`: between `<think>` and `</think>` before the text. */
export const DATASET_REASONINGS = ['none', 'field', 'think'] as const;
export type DatasetReasoning = (typeof DATASET_REASONINGS)[number];

export interface DatasetFilters {
  /** Only replies with a star beside them, or beside the message that they answer. */
  readonly starred?: boolean;
  /** Only replies with one of these verdicts; of a preference, what the chosen one got. Empty: any, or none. */
  readonly verdicts?: readonly Verdict[];
  /** Only by verdicts whose giver did not see which model said what. */
  readonly blind?: boolean;
  /** Only replies of these models. Empty: of any. */
  readonly models?: readonly string[];
  /** Not before this moment. */
  readonly since?: string;
  /** Before this moment. */
  readonly before?: string;
}

export interface DatasetOptions {
  readonly shape: DatasetShape;
  readonly format: DatasetFormat;
  readonly reasoning: DatasetReasoning;
  readonly tools: boolean;
  /** Whether the files of messages are put beside the data. */
  readonly files: boolean;
  /** Whether notes and the reasons of verdicts, which are private, stand in the list of records. */
  readonly notes: boolean;
  readonly filters: DatasetFilters;
  /** The tools that are known here, by name: a branch keeps only the names of its own. */
  readonly definitions?: ReadonlyMap<string, ToolDefinition>;
}

const EVERYTHING = {
  format: 'jsonl',
  reasoning: 'none',
  tools: true,
  files: false,
  notes: false,
  filters: {},
} as const;

/** What was asked for, in words that anybody may have typed; refused with what to say instead. */
export interface DatasetRequest extends Partial<Omit<DatasetOptions, 'filters'>> {
  readonly starred?: boolean | undefined;
  readonly verdicts?: readonly string[] | undefined;
  readonly blind?: boolean | undefined;
  readonly models?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export function datasetOptions({
  starred,
  verdicts = [],
  blind,
  models = [],
  since,
  until,
  ...given
}: DatasetRequest & Pick<DatasetOptions, 'shape'>): DatasetOptions {
  const options: DatasetOptions = {
    ...EVERYTHING,
    ...given,
    filters: {
      ...(starred === true && { starred }),
      ...(verdicts.length > 0 && { verdicts: verdicts.map(verdictOf) }),
      ...(blind === true && { blind }),
      ...(models.length > 0 && { models: [...new Set(models)].sort() }),
      ...(since !== undefined && { since: momentOf(since, 'since') }),
      ...(until !== undefined && { before: momentOf(until, 'until') }),
    },
  };
  if (options.shape === 'sharegpt' && options.reasoning === 'field')
    throw invalid('ShareGPT has no field for reasoning. Ask for "think" instead, or for none.');
  const chosen = options.filters.verdicts ?? [];
  const useless = chosen.find((verdict) => verdict !== 'better' && verdict !== 'good');
  if (options.shape === 'preference' && useless !== undefined)
    throw invalid(`What is preferred is "better" or "good", never "${useless}".`);
  return options;
}

function verdictOf(named: string): Verdict {
  const verdict = VERDICTS.find((known) => known === named.trim());
  if (verdict === undefined) throw invalid(`There is no verdict "${named}". There are ${VERDICTS.join(', ')}.`);
  return verdict;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;
const MS_OF_DAY = 86_400_000;

/** A day begins and ends in UTC; the last one belongs to what is asked for. */
function momentOf(text: string, which: 'since' | 'until'): string {
  const time = DAY.test(text) || MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  // A day that no month has would be taken for one of the next month.
  const isReal = !Number.isNaN(time) && (!DAY.test(text) || new Date(time).toISOString().startsWith(text));
  if (!isReal) throw invalid(`"${text}" is no time. Write a day such as 2026-05-31, or 2026-05-31T12:00:00Z.`);
  return new Date(which === 'until' && DAY.test(text) ? time + MS_OF_DAY : time).toISOString();
}

const invalid = (problem: string): BoughError => new BoughError('invalid_dataset', problem);

/** Counts what is left out, each piece once, however many records have it. */
export class Tally {
  readonly #parts = new Map<string, number>();
  readonly #records = new Map<string, number>();
  readonly #seen = new Set<string>();

  /** A piece of a message that the shape has no place for, or that was not asked for. */
  part(reason: PartReason, node: NodeId | string, count = 1): void {
    const key = `${reason} ${node}`;
    if (count === 0 || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#parts.set(reason, (this.#parts.get(reason) ?? 0) + count);
  }

  /** What would have been a record. */
  record(reason: RecordReason): void {
    this.#records.set(reason, (this.#records.get(reason) ?? 0) + 1);
  }

  parts(): Readonly<Record<string, number>> {
    return inNameOrder(this.#parts);
  }

  records(): Readonly<Record<string, number>> {
    return inNameOrder(this.#records);
  }
}

export type PartReason =
  | 'reasoning'
  | 'reasoning_hidden'
  | 'reasoning_encrypted'
  | 'tool_calls'
  | 'tool_results'
  | 'tool_calls_without_result'
  | 'tool_results_without_call'
  | 'tool_changes'
  | 'tools_not_defined_here'
  | 'text_beside_tool_calls'
  | 'provider_blocks'
  | 'files'
  | 'error_replies'
  | 'left_out_by_choice'
  | 'later_system_messages';

export type RecordReason =
  | 'reply_failed'
  | 'reply_unfinished'
  | 'reply_empty'
  | 'summary'
  | 'no_message_before'
  | 'file_missing'
  | 'prefix_differs'
  | 'not_siblings'
  | 'contradicted'
  | 'tied'
  | 'same_reply';

const inNameOrder = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
