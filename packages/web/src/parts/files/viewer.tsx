import type { AttachedBlock, StoredFile } from '@bough/core';
import { useT } from '../../i18n/later/index.ts';
import { client } from '../../session/client.ts';
import { Dialog } from '../dialog.tsx';
import { aboutFile } from './about.ts';
import { PdfPage } from './pdf-page.tsx';
import { TextBeginning } from './text-beginning.tsx';
import { addressOf } from './tile.tsx';

interface ViewerProps {
  readonly block: AttachedBlock;
  readonly project: string | null;
  readonly onClose: () => void;
  /** Given while the file is part of a draft: its alternative text can still be written. */
  readonly onAlt?: (alt: string) => void;
}

/** A file, large: a picture whole, a PDF by its first page, a text by its beginning. */
export function FileViewer({ block, project, onClose, onAlt }: ViewerProps) {
  const t = useT();
  const download = (file: StoredFile): string =>
    client.blobUrl(file.hash, { name: block.name, ...(project === null ? {} : { project }) });
  return (
    <Dialog open onClose={onClose} title={block.name} wide>
      <p className="file-about">{aboutFile(block, t)}</p>
      <div className="file-view" tabIndex={0} role="region" aria-label={block.name}>
        <View block={block} project={project} />
      </div>
      {block.type !== 'image' || onAlt === undefined ? null : (
        <label className="field">
          <span>{t('files.alt')}</span>
          <input className="input" dir="auto" value={block.alt ?? ''} onChange={(event) => onAlt(event.target.value)} />
          <small>{t('files.alt.why')}</small>
        </label>
      )}
      <div className="dialog-actions">
        {block.original === undefined ? null : (
          <a className="button" href={download(block.original)} download={block.name}>
            {t('files.original')}
          </a>
        )}
        <a className="button" href={download(block.file)} download={block.name}>
          {block.original === undefined ? t('files.download') : t('files.sent')}
        </a>
        <button type="button" className="button primary" onClick={onClose}>
          {t('dialog.close')}
        </button>
      </div>
    </Dialog>
  );
}

function View({ block, project }: Pick<ViewerProps, 'block' | 'project'>) {
  const t = useT();
  const address = addressOf(block, project);
  switch (block.type) {
    case 'image':
      return <img src={address} alt={block.alt ?? block.name} width={block.width} height={block.height} />;
    case 'document':
      return <PdfPage address={address} name={block.name} />;
    case 'audio':
      return <audio controls src={address} aria-label={block.name} />;
    case 'file':
      return block.text === undefined ? (
        <p>{t('files.noPreview')}</p>
      ) : (
        <TextBeginning address={client.blobUrl(block.text.hash, project === null ? {} : { project })} />
      );
  }
}
