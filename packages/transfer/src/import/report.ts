import type { ProjectRecord } from '@bough/store';
import { isReasoningBlock, isThinkingBlock, isThinkingSignatureBlock } from '@bough/core';
import type { ImportProblem } from './conversation.ts';

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
  readonly leftOut: Readonly<Record<string, number>>;
  readonly problems: readonly ImportProblem[];
}

/** Counts the records that pass through. */
export class Tally {
  readonly projects: ImportReport['projects'] = [];
  readonly problems: ImportProblem[] = [];
  readonly #leftOut = new Map<string, number>();
  #nodes = 0;
  #branches = 0;
  #turns = 0;
  #unsigned = 0;
  readonly #reasoning = new Set<string>();
  readonly #withRaw = new Set<string>();

  leaveOut(kinds: readonly string[]): void {
    for (const kind of kinds) this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  async *watch(records: AsyncIterable<ProjectRecord>): AsyncGenerator<ProjectRecord, void> {
    for await (const record of records) {
      this.#count(record);
      yield record;
    }
  }

  #count(record: ProjectRecord): void {
    if (record.type === 'branch') this.#branches += 1;
    else if (record.type === 'turn') this.#turns += 1;
    else if (record.type === 'call' && record.raw !== null && record.value.nodeId !== null)
      this.#withRaw.add(record.value.nodeId);
    else if (record.type === 'node') {
      this.#nodes += 1;
      const blocks = record.value.contentBlocks;
      if (!blocks.some(isReasoningBlock)) return;
      this.#reasoning.add(record.value.id);
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
      unreplayable: [...this.#reasoning].filter((id) => !this.#withRaw.has(id)).length,
      unsigned: this.#unsigned,
      leftOut: Object.fromEntries(this.#leftOut),
      problems: this.problems,
    };
  }
}
