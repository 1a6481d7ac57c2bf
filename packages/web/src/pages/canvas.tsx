import type { BranchView, CanvasView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../i18n/later/index.ts';
import { Refusal } from '../panels/conversation/refusal.tsx';
import { ChevronLeftIcon } from '../parts/icons.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import type { CanvasDraft } from '../session/canvas-drafts.ts';
import { readCanvasDraft, writeCanvasDraft } from '../session/canvas-drafts.ts';
import { canvasHistoryQuery, canvasQuery } from '../session/canvas.ts';
import { client } from '../session/client.ts';
import { projectQuery, queryClient } from '../session/queries.ts';
import { attempt } from '../session/refusals.ts';
import { branchColour } from '../view/colour.ts';
import { Editor } from './canvas/editor.tsx';
import { CanvasHistory } from './canvas/history.tsx';
import { CanvasMerge } from './canvas/merge.tsx';
import '../panels/context/context.css';
import './canvas/canvas.css';

/** The document of a project, as a branch has it. */
export function CanvasPage() {
  const t = useT();
  const { projectId = '', branch: name = '' } = useParams({ strict: false });
  const project = useQuery(projectQuery(projectId));
  const branches = project.data?.branches ?? [];
  const branch = branches.find((each) => each.name === name);
  const canvas = useQuery({ ...canvasQuery(projectId, branch?.id ?? ''), enabled: branch !== undefined });
  const failed = project.error ?? canvas.error;
  const colour = branch === undefined ? undefined : branchColour(branch.color, branches.indexOf(branch));
  // Each branch has its own: which one is being written must be seen, also where the list of branches is hidden.
  const tag = (
    <span className="branch-tag">
      <span className="dot" style={{ background: colour }} />
      <span className="branch-name">{name}</span>
    </span>
  );
  return (
    <Page title={t('canvas.title')} about={name} actions={tag}>
      {failed === null ? null : <Problem message={failed.message} />}
      {branch === undefined || canvas.data === undefined ? (
        failed === null ? (
          <Loading failures={canvas.failureCount} />
        ) : null
      ) : (
        <Desk key={branch.id} projectId={projectId} branch={branch} branches={branches} stored={canvas.data} />
      )}
    </Page>
  );
}

interface DeskProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly branches: readonly BranchView[];
  readonly stored: CanvasView | null;
}

/** What is being written: on which version it began, and what was last put into the editor from outside. */
interface Draft {
  readonly text: string;
  readonly given: string;
  readonly on: string | null;
}

function Desk({ projectId, branch, branches, stored }: DeskProps) {
  const t = useT();
  const versions = useQuery(canvasHistoryQuery(projectId, branch.id)).data ?? [];
  /** What is being written, on top of the version that it began with; null where nothing is. */
  const [draft, setDraft] = useState<Draft | null>(() => {
    const left = readCanvasDraft(branch.id);
    return left && { ...left, given: left.text };
  });
  const [round, setRound] = useState(0);
  const [told, setTold] = useState<boolean | null>(null);
  const text = draft?.text ?? stored?.text ?? '';
  const inContext = told ?? stored?.inContext ?? false;
  const isChanged = text !== (stored?.text ?? '') || inContext !== (stored?.inContext ?? false);
  // The model, or somebody else, wrote a version meanwhile.
  const isStale = draft !== null && isChanged && draft.on !== (stored?.version ?? null);
  const kept = useRef<CanvasDraft | null>(draft && { text: draft.text, on: draft.on });
  useEffect(() => {
    const next = draft !== null && isChanged ? { text: draft.text, on: draft.on } : null;
    writeCanvasDraft(branch.id, next, kept.current);
    kept.current = next;
  }, [branch.id, draft, isChanged]);
  const on = draft === null ? (stored?.version ?? null) : draft.on;
  const given = draft?.given ?? stored?.text ?? '';
  const put = (next: Draft | null): void => {
    setDraft(next);
    setRound(round + 1);
  };
  const reread = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['project', projectId] });
  const save = () =>
    attempt(async () => {
      const { canvas } = await client.writeCanvas(projectId, { ref: branch.id, text, inContext, expected: on });
      await reread();
      // What was typed meanwhile goes on from there.
      setDraft((now) => (now === null || now.text === text ? null : { ...now, on: canvas.version }));
      setTold(null);
    });
  return (
    <>
      <div className="canvas-bar">
        <Link className="button small quiet" to="/p/$projectId/b/$branch" params={{ projectId, branch: branch.name }}>
          <ChevronLeftIcon />
          {t('canvas.back')}
        </Link>
        <label className="check-line">
          <input type="checkbox" checked={inContext} onChange={(event) => setTold(event.target.checked)} />{' '}
          {t('canvas.inContext')}
        </label>
        <span className="faint" role="status">
          {isChanged ? t('canvas.unsaved') : stored === null ? t('canvas.none') : t('canvas.saved')}
        </span>
        <button
          type="button"
          className="button small primary"
          disabled={!isChanged || branch.runningTurnId !== null}
          onClick={() => void save()}
        >
          {t('canvas.save')}
        </button>
      </div>
      {isStale ? (
        <div className="canvas-stale" role="alert">
          <span>{t('canvas.stale')}</span>
          <button type="button" className="button small" onClick={() => put(null)}>
            {t('canvas.stale.theirs')}
          </button>
          <button
            type="button"
            className="button small"
            onClick={() => setDraft({ text, given, on: stored?.version ?? null })}
          >
            {t('canvas.stale.mine')}
          </button>
        </div>
      ) : null}
      <Refusal />
      <div className="canvas-desk">
        <Editor
          given={given}
          round={round}
          label={t('canvas.title')}
          onChange={(next) => setDraft({ text: next, given, on })}
        />
        <aside className="canvas-side" aria-label={t('canvas.about')}>
          <h2>{t('canvas.merge')}</h2>
          <CanvasMerge
            projectId={projectId}
            branch={branch}
            branches={branches}
            version={stored?.version ?? null}
            isUnsaved={isChanged}
            onMerged={reread}
          />
          <h2>{t('canvas.history')}</h2>
          <CanvasHistory
            projectId={projectId}
            branch={branch.id}
            versions={versions}
            onTake={(next) => put({ text: next, given: next, on })}
          />
        </aside>
      </div>
    </>
  );
}
