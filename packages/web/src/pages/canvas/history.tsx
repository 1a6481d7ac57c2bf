import type { CanvasVersionView } from '@bough/api/client';
import { diffLines } from '@bough/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { DiffLines } from '../../parts/diff-lines.tsx';
import { formatKnownTime } from '../../view/format.ts';
import { canvasQuery } from '../../session/canvas.ts';

interface HistoryProps {
  readonly projectId: string;
  readonly branch: string;
  readonly versions: readonly CanvasVersionView[];
  /** Puts the text of an older version into the editor. */
  readonly onTake: (text: string) => void;
}

/** The versions of a branch, the newest first; the chosen one with how it differs from the one before. */
export function CanvasHistory({ projectId, branch, versions, onTake }: HistoryProps) {
  const t = useT();
  const [chosen, setChosen] = useState<string | null>(null);
  if (versions.length === 0) return <p className="faint">{t('canvas.history.none')}</p>;
  return (
    <ol className="canvas-versions">
      {versions.map((one, index) => (
        <li key={one.version}>
          <button
            type="button"
            aria-expanded={chosen === one.version}
            onClick={() => setChosen(chosen === one.version ? null : one.version)}
          >
            <span>{formatKnownTime(one.createdAt, t.locale) ?? t('time.unknown')}</span>
            <small>
              {t(`canvas.by.${one.by}`)} · +{one.added} −{one.removed}
              {one.inContext ? ` · ${t('canvas.told')}` : ''}
              {one.mergedFrom === undefined ? '' : ` · ${t('canvas.merged')}`}
            </small>
          </button>
          {chosen === one.version ? (
            <Version
              projectId={projectId}
              branch={branch}
              version={one.version}
              before={versions[index + 1]?.version ?? null}
              onTake={onTake}
            />
          ) : null}
        </li>
      ))}
    </ol>
  );
}

interface VersionProps extends Pick<HistoryProps, 'projectId' | 'branch' | 'onTake'> {
  readonly version: string;
  readonly before: string | null;
}

function Version({ projectId, branch, version, before, onTake }: VersionProps) {
  const t = useT();
  const read = useQuery(canvasQuery(projectId, branch, version));
  const earlier = useQuery({ ...canvasQuery(projectId, branch, before ?? ''), enabled: before !== null });
  const text = read.data?.text;
  if (text === undefined || (before !== null && earlier.data === undefined)) return null;
  return (
    <div className="canvas-version">
      <DiffLines lines={diffLines(earlier.data?.text ?? '', text).lines} />
      <button type="button" className="button small" onClick={() => onTake(text)}>
        {t('canvas.take')}
      </button>
    </div>
  );
}
