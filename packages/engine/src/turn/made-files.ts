import type { AttachedBlock, ContentBlock, MadeFile, StreamEvent } from '@bough/core';
import { emptied } from '@bough/core';
import type { Environment } from '../environment.ts';
import type { KeepFile } from '../tools/files/index.ts';
import { keepFilesIn } from '../tools/files/index.ts';

/** How files that tools and models bring are kept. */
export function keeperOf({ keepFile, store }: Pick<Environment, 'keepFile' | 'store'>): KeepFile {
  return keepFile ?? keepFilesIn(store.blobs);
}

/**
 * Keeps the files inside of a reply, each once. Their bytes give their place to a block that refers to them; the raw
 * response keeps them as they came.
 */
export class MadeFiles {
  readonly #env: Environment;
  readonly #kept = new Map<ContentBlock, Promise<readonly ContentBlock[]>>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The blocks of a reply as they are stored. */
  async of(blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
    const kept: ContentBlock[] = [];
    for (const block of blocks) kept.push(...(await this.#of(block)));
    return kept;
  }

  /** The same for events, as they are shown: nobody who watches needs megabytes of base64. */
  async shown(events: readonly StreamEvent[]): Promise<readonly StreamEvent[]> {
    if (!events.some((event) => event.type === 'block' && emptied(event.block) !== null)) return events;
    const shown: StreamEvent[] = [];
    for (const event of events) {
      if (event.type !== 'block') shown.push(event);
      else for (const block of await this.#of(event.block)) shown.push({ ...event, block });
    }
    return shown;
  }

  async #of(block: ContentBlock): Promise<readonly ContentBlock[]> {
    const before = this.#kept.get(block);
    if (before !== undefined) return before;
    const kept = this.#keep(block);
    this.#kept.set(block, kept);
    return kept;
  }

  /** Where a file cannot be kept, the block stays as it came: nothing is lost, and the reply goes on. */
  async #keep(block: ContentBlock): Promise<readonly ContentBlock[]> {
    const made = emptied(block);
    if (made === null) return [block];
    try {
      const files: AttachedBlock[] = [];
      for (const file of made.files) {
        const kept = await this.#keepOne(file);
        if (kept === null) return [block];
        files.push(kept);
      }
      return [made.bare, ...files];
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#env.observe({ type: 'problem', what: 'keeping a file of a reply', message });
      return [block];
    }
  }

  async #keepOne({ name, data, alt, inThought }: MadeFile): Promise<AttachedBlock | null> {
    const kept = await keeperOf(this.#env)({ name, mediaType: '', bytes: Buffer.from(data, 'base64') });
    if (kept === null) return null;
    return {
      ...kept,
      ...(alt !== undefined && kept.type === 'image' && { alt }),
      ...(inThought === true && { inThought }),
    };
  }
}
