import type { NodeView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { describeBlock } from '../../view/block-list.ts';

interface BlocksProps {
  readonly blocks: NodeView['contentBlocks'];
  /** Also lists blocks that people need not see. */
  readonly developer: boolean;
}

/** The blocks of a message in order. Only the length of a signature is ever shown. */
export function Blocks({ blocks, developer }: BlocksProps) {
  const t = useT();
  const shown = blocks.map((block) => describeBlock(block, t)).filter((block) => developer || !block.isHidden);
  return (
    <ol className="blocks">
      {shown.map((block, index) => (
        <li key={index} data-hidden={block.isHidden ? '' : undefined}>
          <div className="block-head">
            <code>{block.type}</code>
            {block.note === null ? null : <span className="faint">{block.note}</span>}
            {block.isHidden ? <span className="badge">{t('details.hidden')}</span> : null}
          </div>
          {block.text === '' ? null : <pre tabIndex={0}>{block.text}</pre>}
        </li>
      ))}
    </ol>
  );
}
