import type { AttachedBlock } from '@bough/core';
import type { Translator } from '../../i18n/index.ts';
import { formatBytes, formatNumber } from '../../view/format.ts';

/** What is known of a file, in a few words: its measures and its size. */
export function aboutFile(block: AttachedBlock, t: Translator): string {
  const { size } = block.original ?? block.file;
  return [measureOf(block, t), formatBytes(size, t.locale)].filter((part) => part !== null).join(' · ');
}

function measureOf(block: AttachedBlock, t: Translator): string | null {
  switch (block.type) {
    case 'image':
      return `${block.width} × ${block.height}`;
    case 'document':
      return block.pages === undefined
        ? null
        : block.pages === 1
          ? t('files.page')
          : t('files.pages', { count: formatNumber(block.pages, t.locale) });
    case 'audio':
      return block.seconds === undefined
        ? null
        : t('files.seconds', { count: formatNumber(Math.round(block.seconds), t.locale) });
    case 'file':
      return block.text === undefined
        ? null
        : t('files.characters', { count: formatNumber(block.text.characters, t.locale) });
  }
}
