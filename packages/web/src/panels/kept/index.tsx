import type { BranchView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { CheckIcon, EditIcon, StarIcon } from '../../parts/icons.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { annotate } from '../../session/annotations.ts';
import { useQuestions } from '../../session/questions.ts';
import { attempt } from '../../session/refusals.ts';
import { MarkIcon } from './mark-icon.tsx';
import { useKept } from './use-kept.ts';
import './kept.css';

const Notes = lazy(() =>
  import('../questions/notes.tsx').then(({ QuestionNotes: component }) => ({ default: component })),
);

const MARKS = ['good', 'bad'] as const;

export interface KeptProps {
  readonly projectId: string;
  readonly nodeId: string;
}

/** The star among a message's actions. */
export function StarButton({ projectId, nodeId }: KeptProps) {
  const t = useT();
  const { isStarred } = useKept(projectId, nodeId);
  return (
    <IconButton
      label={t(isStarred ? 'kept.unstar' : 'kept.star')}
      pressed={isStarred}
      className={isStarred ? 'starred' : ''}
      onClick={() => void attempt(() => annotate(projectId, nodeId, { star: !isStarred }))}
    >
      <StarIcon />
    </IconButton>
  );
}

interface KeptItemsProps extends KeptProps {
  /** Replies can be called good or bad. */
  readonly isReply: boolean;
  readonly onEdit: () => void;
}

/** The entries of a message's menu. */
export function KeptItems({ projectId, nodeId, isReply, onEdit }: KeptItemsProps) {
  const t = useT();
  const { isStarred, mark } = useKept(projectId, nodeId);
  return (
    <>
      <DropdownMenu.Item
        className="menu-item"
        onSelect={() => void attempt(() => annotate(projectId, nodeId, { star: !isStarred }))}
      >
        <StarIcon />
        {t(isStarred ? 'kept.unstar' : 'kept.star')}
      </DropdownMenu.Item>
      <DropdownMenu.Item className="menu-item" onSelect={onEdit}>
        <EditIcon />
        {t('kept.edit')}
      </DropdownMenu.Item>
      {(isReply ? MARKS : []).map((each) => (
        <DropdownMenu.CheckboxItem
          key={each}
          className="menu-item"
          checked={mark === each}
          onCheckedChange={(isGiven) =>
            void attempt(() => annotate(projectId, nodeId, { mark: isGiven ? each : null }))
          }
        >
          <MarkIcon mark={each} />
          {t(`kept.mark.${each}`)}
          {mark === each ? <CheckIcon /> : null}
        </DropdownMenu.CheckboxItem>
      ))}
    </>
  );
}

/** What is kept beside a message, as a small card; nothing where nothing is. */
export function KeptCard({ projectId, nodeId }: KeptProps) {
  const t = useT();
  const { isStarred, note, bookmarks, mark } = useKept(projectId, nodeId);
  if (!isStarred && note === null && bookmarks.length === 0 && mark === null) return null;
  return (
    <div className="kept-card" role="group" aria-label={t('kept.beside')}>
      {isStarred ? (
        <span className="badge starred">
          <StarIcon /> {t('kept.starred')}
        </span>
      ) : null}
      {mark === 'good' || mark === 'bad' ? (
        <span className="badge">
          <MarkIcon mark={mark} /> {t(`kept.mark.${mark}`)}
        </span>
      ) : null}
      {bookmarks.map((name) => (
        <span key={name} className="badge" dir="auto">
          {name}
        </span>
      ))}
      {note === null ? null : <LongText tag="p" className="kept-note" text={note} />}
    </div>
  );
}

interface QuestionsBesideProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** All messages of the reply. */
  readonly nodeIds: readonly string[];
}

/** What was asked about words of a reply; nothing is loaded where nothing was. */
export function QuestionsBeside({ projectId, branch, nodeIds }: QuestionsBesideProps) {
  const questions = useQuestions(projectId, nodeIds);
  return questions.length === 0 ? null : (
    <Suspense fallback={null}>
      <Notes projectId={projectId} branch={branch} questions={questions} />
    </Suspense>
  );
}
