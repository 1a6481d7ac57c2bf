import type { ReactNode } from 'react';
import { useT } from '../../i18n/index.ts';
import { FolderIcon } from '../../parts/icons.tsx';
import { useDropProject } from '../../session/drag-project.ts';
import { useNews } from '../../session/news.ts';
import { mostUrgent } from '../../view/news.ts';
import { NewsMark } from './news-mark.tsx';

interface FolderProps {
  readonly name: string;
  readonly count: number;
  readonly isOpen: boolean;
  /** Ids of its projects, as far as they are known. */
  readonly holds: ReadonlySet<string>;
  readonly onToggle: (isOpen: boolean) => void;
  readonly children: ReactNode;
}

/** Projects under a name. Closed, it still says that something happened in it. */
export function Folder({ name, count, isOpen, holds, onToggle, children }: FolderProps) {
  const t = useT();
  const drop = useDropProject(name);
  const news = [...useNews().values()].filter(({ projectId }) => holds.has(projectId));
  return (
    <details
      className="folder"
      open={isOpen}
      data-over={drop.isOver ? '' : undefined}
      {...drop.handlers}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen) onToggle(event.currentTarget.open);
      }}
    >
      <summary>
        <FolderIcon />
        <span className="folder-name">{name}</span>
        <span className="folder-count" aria-label={t('projects.folder.count', { count })}>
          {count}
        </span>
        {isOpen ? null : <NewsMark kind={mostUrgent(news)} />}
      </summary>
      {isOpen ? children : null}
    </details>
  );
}
