import type { ForeignDocument, ProjectRecord } from '@bough/store';
import { heldBy } from '@bough/store';
import { isReasoningBlock, isThinkingBlock, isThinkingSignatureBlock } from '@bough/core';
import type { ImportProblem } from './conversation.ts';
import type { MissingFile } from './files/bring.ts';
import type { Found } from './found.ts';

export interface ImportReport {
  readonly projects: { id: string; name: string; format: string; outcome: string; addedNodes: number }[];
  readonly nodes: number;
  readonly branches: number;
  readonly turns: number;
  /**
   * Replies whose reasoning can be shown, but never replayed as reasoning: it has no signature, or comes without a raw
   * response.
   */
  readonly unreplayable: number;
  readonly unsigned: number;
  /** Of agents' sessions: how many replies get their reasoning back, and how many do not, by reason. */
  readonly reasoning: { readonly goesBack: number; readonly stays: Readonly<Record<string, number>> };
  readonly leftOut: Readonly<Record<string, number>>;
  /** What Bough has no place for and keeps beside the projects, by kind. */
  readonly beside: Readonly<Record<string, number>>;
  readonly problems: readonly ImportProblem[];
  /** Files of an export that became part of its messages. */
  readonly files: number;
  readonly missingFiles: readonly MissingFile[];
}

/** Counts the records that pass through. */
export class Tally {
  readonly projects: ImportReport['projects'] = [];
  readonly problems: ImportProblem[] = [];
  readonly missingFiles: MissingFile[] = [];
  files = 0;
  readonly #beside: Pick<ForeignDocument, 'holds'>[] = [];
  readonly #leftOut = new Map<string, number>();
  readonly #stays = new Map<string, number>();
  #goesBack = 0;
  #nodes = 0;
  #branches = 0;
  #turns = 0;
  #unsigned = 0;
  #unreplayable = 0;

  countReasoning({ goesBack, stays }: NonNullable<Extract<Found, { type: 'project' }>['reasoning']>): void {
    this.#goesBack += goesBack;
    for (const reason of stays) this.#stays.set(reason, (this.#stays.get(reason) ?? 0) + 1);
  }

  leaveOut(kinds: readonly string[]): void {
    for (const kind of kinds) this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  /** Counts the records of one project. What is remembered of them is forgotten at its end: there may be any number. */
  async *watch(records: AsyncIterable<ProjectRecord>): AsyncGenerator<ProjectRecord, void> {
    const reasoning = new Set<string>();
    const withRaw = new Set<string>();
    for await (const record of records) {
      this.#count(record, reasoning, withRaw);
      yield record;
    }
    this.#unreplayable += [...reasoning].filter((id) => !withRaw.has(id)).length;
  }

  #count(record: ProjectRecord, reasoning: Set<string>, withRaw: Set<string>): void {
    if (record.type === 'foreign') this.#beside.push({ holds: record.value.holds });
    else if (record.type === 'branch') this.#branches += 1;
    else if (record.type === 'turn') this.#turns += 1;
    else if (record.type === 'call' && record.raw !== null && record.value.nodeId !== null)
      withRaw.add(record.value.nodeId);
    else if (record.type === 'node') {
      this.#nodes += 1;
      const blocks = record.value.contentBlocks;
      if (!blocks.some(isReasoningBlock)) return;
      reasoning.add(record.value.id);
      const signed = blocks.some((block) => isThinkingSignatureBlock(block) || block.type === 'redacted_thinking');
      if (!signed && blocks.some((block) => isThinkingBlock(block) && block.signature === undefined))
        this.#unsigned += 1;
    }
  }

  report(): ImportReport {
    return {
      projects: this.projects,
      nodes: this.#nodes,
      branches: this.#branches,
      turns: this.#turns,
      unreplayable: this.#unreplayable,
      unsigned: this.#unsigned,
      reasoning: { goesBack: this.#goesBack, stays: Object.fromEntries(this.#stays) },
      leftOut: Object.fromEntries(this.#leftOut),
      beside: heldBy(this.#beside),
      problems: this.problems,
      files: this.files,
      missingFiles: this.missingFiles,
    };
  }
}
