import { Suspense, useState } from 'react';
import type { Translator } from '../../i18n/index.ts';
import { useT } from '../../i18n/index.ts';
import type { Attachment, Attachments } from '../../session/attachments.ts';
import { formatBytes, formatNumber } from '../../view/format.ts';
import { CloseIcon, FileIcon, SoundIcon } from '../icons.tsx';
import { IconButton } from '../tooltip.tsx';
import { aboutFile } from './about.ts';
import { FileViewer } from './index.tsx';
import { addressOf } from './tile.tsx';
import './files.css';

interface ChipsProps {
  readonly attachments: Attachments;
  /** Files that a stored message already holds; all others belong to nobody yet. */
  readonly project?: string;
  readonly held?: ReadonlySet<string>;
  /** The button that had the keyboard focus is gone with its file. */
  readonly onRemoved: () => void;
}

/** The files of a draft, each with how far it is. */
export function FileChips({ attachments, project, held, onRemoved }: ChipsProps) {
  const t = useT();
  const [openedId, setOpenedId] = useState<string | null>(null);
  const { all, remove, setAlt } = attachments;
  const opened = all.find(({ id }) => id === openedId)?.block ?? null;
  const scopeOf = (hash: string): string | null => (held?.has(hash) === true ? (project ?? null) : null);
  if (all.length === 0) return null;
  return (
    <>
      <ul className="file-chips" aria-label={t('files.attached')}>
        {all.map((attachment) => (
          <li key={attachment.id} className="file-chip" data-failed={attachment.problem === null ? undefined : ''}>
            <Chip
              attachment={attachment}
              project={attachment.block === null ? null : scopeOf(attachment.block.file.hash)}
              onOpen={() => setOpenedId(attachment.id)}
            />
            <IconButton
              label={t('files.remove', { name: attachment.name })}
              onClick={() => {
                remove(attachment.id);
                onRemoved();
              }}
            >
              <CloseIcon />
            </IconButton>
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>
        {opened === null || openedId === null ? null : (
          <FileViewer
            block={opened}
            project={scopeOf(opened.file.hash)}
            onClose={() => setOpenedId(null)}
            onAlt={(alt) => setAlt(openedId, alt)}
          />
        )}
      </Suspense>
    </>
  );
}

interface ChipProps {
  readonly attachment: Attachment;
  readonly project: string | null;
  readonly onOpen: () => void;
}

function noteText({ code, pages = 0 }: Attachment['notes'][number], t: Translator): string {
  return t(`files.note.${code}`, { pages: formatNumber(pages, t.locale) });
}

function Chip({ attachment, project, onOpen }: ChipProps) {
  const t = useT();
  const { name, size, progress, block, notes, problem } = attachment;
  const words = (
    <span className="file-words">
      <span className="file-name" dir="auto">
        {name}
      </span>
      <small role={problem === null ? undefined : 'alert'}>
        {problem ??
          (block === null
            ? formatBytes(size, t.locale)
            : [aboutFile(block, t), ...notes.map((note) => noteText(note, t))].join(' · '))}
      </small>
      {block !== null || problem !== null ? null : (
        <progress
          max={1}
          // Everything is there, and how long fitting takes is not known.
          {...(progress < 1 ? { value: progress } : {})}
          aria-label={t('files.uploading', { name })}
        />
      )}
    </span>
  );
  if (block === null)
    return (
      <span className="file-open">
        <FileIcon />
        {words}
      </span>
    );
  return (
    <button type="button" className="file-open" title={t('files.open', { name })} onClick={onOpen}>
      {block.type === 'image' ? (
        <img src={addressOf(block, project)} alt={block.alt ?? ''} width={36} height={36} />
      ) : block.type === 'audio' ? (
        <SoundIcon />
      ) : (
        <FileIcon />
      )}
      {words}
    </button>
  );
}
