import type { AttachedBlock } from '@bough/core';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { FileTile } from './tile.tsx';
import './files.css';

export const FileViewer = lazy(() =>
  import('./viewer.tsx').then(({ FileViewer: component }) => ({ default: component })),
);

/** The files of a message. */
export function Files({
  files,
  project,
}: {
  readonly files: readonly AttachedBlock[];
  readonly project: string | null;
}) {
  const t = useT();
  const [opened, setOpened] = useState<AttachedBlock | null>(null);
  if (files.length === 0) return null;
  const isPile = files.filter(({ type }) => type === 'image').length > 2;
  return (
    <>
      <ul className="files" aria-label={t('files.list')} data-many={isPile || undefined}>
        {files.map((block, index) => (
          <li key={index}>
            <FileTile block={block} project={project} onOpen={() => setOpened(block)} />
          </li>
        ))}
      </ul>
      <Suspense fallback={null}>
        {opened === null ? null : <FileViewer block={opened} project={project} onClose={() => setOpened(null)} />}
      </Suspense>
    </>
  );
}
