import type { BranchView, Client } from '@bough/api';
import type { AttachedBlock, FileFate } from '@bough/core';
import { fateOf, isAttachedBlock } from '@bough/core';
import type { Terminal } from '../terminal/index.ts';
import type { Blocks } from './index.ts';

const TOLD: Readonly<Record<FileFate, (model: string, names: string) => string>> = {
  text: (model, names) => `${model} does not read ${names}: it gets the text.`,
  line: (model, names) => `${model} does not take ${names}: it gets a line with the name.`,
  omit: (model, names) => `${model} does not take ${names}: that is left out.`,
};
const FATES: readonly FileFate[] = ['text', 'line', 'omit'];

/** Tells, before a message is sent, which of its files the model does not take, what it gets, and what can be done. */
export async function tellFates(
  client: Client,
  terminal: Pick<Terminal, 'warn'>,
  { provider, model, filesOtherwise }: BranchView,
  blocks: Blocks,
): Promise<void> {
  const files = blocks.filter((block): block is Blocks[number] & AttachedBlock => isAttachedBlock(block));
  if (files.length === 0) return;
  const { providers } = await client.listProviders();
  const takes = providers.find(({ id }) => id === provider)?.models.find(({ id }) => id === model)?.takesFiles;
  // A model that is in no list: only the server knows, and `bough context -a` tells.
  if (takes === undefined) return;
  const sentences = FATES.flatMap((fate) => {
    const names = files.filter((file) => fateOf(file, takes, filesOtherwise) === fate).map(({ name }) => name);
    return names.length === 0 ? [] : [TOLD[fate](model, names.join(', '))];
  });
  if (sentences.length === 0) return;
  const other = filesOtherwise === 'omit' ? 'text sends its text or name' : 'omit leaves it out';
  terminal.warn(`${sentences.join('\n')}\n(--files-otherwise ${other}; --model begins with another model.)\n`);
}
