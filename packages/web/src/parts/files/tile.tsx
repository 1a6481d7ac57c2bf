import type { AttachedBlock, ImageBlock } from '@bough/core';
import { useT } from '../../i18n/index.ts';
import { client } from '../../session/client.ts';
import { FileIcon, SoundIcon } from '../icons.tsx';
import { aboutFile } from './about.ts';

interface TileProps {
  readonly block: AttachedBlock;
  /** The project that holds it; null while it is part of a draft. */
  readonly project: string | null;
  readonly onOpen: () => void;
}

/** A file in a message: a picture as it is, everything else by its name. */
export function FileTile({ block, project, onOpen }: TileProps) {
  const t = useT();
  const about = aboutFile(block, t);
  if (block.type === 'image')
    return (
      <button type="button" className="file-picture" title={`${block.name} · ${about}`} onClick={onOpen}>
        <img
          src={addressOf(block, project)}
          alt={block.alt ?? block.name}
          width={block.width}
          height={block.height}
          style={{ width: widthOf(block) }}
          loading="lazy"
          decoding="async"
        />
      </button>
    );
  return (
    <button type="button" className="file-card" title={block.name} onClick={onOpen}>
      {block.type === 'audio' ? <SoundIcon /> : <FileIcon />}
      <span>
        <span className="file-name" dir="auto">
          {block.name}
        </span>
        <small>{about}</small>
      </span>
    </button>
  );
}

/** Known before the picture is loaded: what is below it must not move when it is. */
const widthOf = ({ width, height }: ImageBlock): string =>
  `min(${width}px, var(--picture-height) * ${width / Math.max(1, height)})`;

export function addressOf({ file }: AttachedBlock, project: string | null): string {
  return client.blobUrl(file.hash, project === null ? {} : { project });
}
