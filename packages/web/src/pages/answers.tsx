import type { ProviderView } from '@bough/api/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../i18n/later/index.ts';
import { Refusal } from '../panels/conversation/refusal.tsx';
import { ChevronLeftIcon, StopIcon } from '../parts/icons.tsx';
import { Loading } from '../parts/loading.tsx';
import { LongText } from '../parts/long-text.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { dropAnswers } from '../session/ask-many.ts';
import { useVisit } from '../session/news.ts';
import { nodeQuery, projectQuery, providersQuery } from '../session/queries.ts';
import { attempt } from '../session/refusals.ts';
import { stopReplies } from '../session/stop.ts';
import { repliesQuery, versionQuery } from '../session/versions.ts';
import type { Answer } from '../view/answers.ts';
import { answersOf } from '../view/answers.ts';
import { modelLabel } from '../view/model-label.ts';
import { AnswerColumn } from './answers/column.tsx';
import { comparable, inBlindOrder, JudgeBar, markingOf, useJudging } from './versions/judge.tsx';
import './versions/versions.css';
import './answers/answers.css';

const NOTHING: ReadonlySet<string> = new Set();

/** The answers of several models to one message, side by side; those that are not kept go to the trash. */
export function AnswersPage() {
  const t = useT();
  const navigate = useNavigate();
  const { projectId = '', branch: here = '', nodeId = '' } = useParams({ strict: false });
  const asked = useQuery(nodeQuery(projectId, nodeId));
  const project = useQuery(projectQuery(projectId));
  const replies = useQuery(repliesQuery(projectId, nodeId));
  const [going, setGoing] = useState(NOTHING);
  const read = (replies.data ?? []).filter(({ id }) => !going.has(id));
  // Until all of it is read, a reply is its first message.
  const parts = useQueries({ queries: read.map((node) => versionQuery(projectId, node)) });
  const whole = read.map((node, index) => parts[index]?.data ?? [node]);
  const [dropped, setDropped] = useState(NOTHING);
  const { blind = false } = useSearch({ strict: false });
  const judging = useJudging(projectId, read, blind);
  const branches = (project.data?.branches ?? []).filter(({ id }) => !going.has(id));
  const question = asked.data?.node ?? null;
  const answers = question === null ? [] : answersOf(question, whole, branches, here);
  useVisit(answers.flatMap(({ branch }) => (branch === null ? [] : [branch.id])));
  const running = answers.filter(({ branch }) => branch?.runningTurnId != null);
  const canJudge = running.length === 0 && comparable(read).length > 1;
  // Names can be hidden while answers are still being written: who has seen them judges with them.
  const isBlind = answers.length > 1 && judging.isBlind;
  const shown = isBlind ? mixed(answers) : answers;
  const providers = useQuery(providersQuery).data?.providers ?? [];
  const titles = titlesOf(shown, providers);
  const doomed = answers.filter(({ key, canGo }) => canGo && dropped.has(key));
  const isDoomedRunning = doomed.some((answer) => running.includes(answer));
  const keepThese = async (): Promise<void> => {
    // They leave the screen first: what is gone would be read once more, and be missed.
    if (doomed.length === answers.length)
      await navigate({ to: '/p/$projectId/b/$branch', params: { projectId, branch: here } });
    setGoing(new Set(doomed.flatMap(({ node, branch }) => [node?.id, branch?.id].filter((id) => id !== undefined))));
    const branchIds = doomed.flatMap(({ branch }) => (branch === null ? [] : [branch.id]));
    if (await attempt(() => dropAnswers(projectId, nodeId, branchIds))) setDropped(new Set());
    setGoing(NOTHING);
  };
  const tick = (key: string, isKept: boolean): void => {
    const next = new Set(dropped);
    if (isKept) next.delete(key);
    else next.add(key);
    setDropped(next);
  };
  const problem = asked.error ?? replies.error ?? project.error;
  return (
    <Page title={t('answers.title')} {...(isBlind ? {} : { about: here })}>
      {problem === null ? null : <Problem message={problem.message} />}
      {replies.isPending || asked.isPending ? <Loading failures={replies.failureCount} /> : null}
      <div className="versions-bar">
        <Link className="button small quiet" to="/p/$projectId/b/$branch" params={{ projectId, branch: here }}>
          <ChevronLeftIcon />
          {t('versions.back')}
        </Link>
        {running.length === 0 ? null : (
          <button
            type="button"
            className="button small"
            onClick={() => void attempt(() => stopReplies(projectId, { answering: nodeId }))}
          >
            <StopIcon />
            {t('versions.stop')}
          </button>
        )}
        <span className="answers-keep">
          <small role="status">
            {isDoomedRunning
              ? t('answers.wait')
              : doomed.length === 0
                ? t('answers.hint')
                : t('answers.drop', { count: doomed.length })}
          </small>
          <button
            type="button"
            className="button small primary"
            aria-busy={going.size > 0}
            disabled={doomed.length === 0 || isDoomedRunning}
            onClick={() => void keepThese()}
          >
            {t('answers.keepThese')}
          </button>
        </span>
      </div>
      {question === null ? null : (
        <div className="answers-question" tabIndex={0} role="group" aria-label={t('conversation.you')}>
          <LongText tag="p" className="user-text" text={question.content} />
        </div>
      )}
      {canJudge || isBlind || (answers.length > 1 && running.length > 0) ? (
        <JudgeBar judging={judging} canJudge={canJudge} />
      ) : null}
      <div className="versions" style={{ gridTemplateColumns: `repeat(${shown.length}, minmax(19rem, 1fr))` }}>
        {shown.map((answer, index) => (
          <AnswerColumn
            key={answer.key}
            projectId={projectId}
            here={here}
            answer={answer}
            parts={whole.find(([first]) => first?.id === answer.node?.id) ?? []}
            number={index + 1}
            title={isBlind ? null : (titles[index] ?? null)}
            isBlind={isBlind}
            isReading={replies.isFetching}
            verdict={answer.node === null ? null : judging.verdictOf(answer.node)}
            onBetter={canJudge && answer.node?.isError === false ? () => judging.choose(answer.node) : null}
            marking={canJudge && answer.node?.isError === false ? markingOf(judging, answer.node) : null}
            isKept={!dropped.has(answer.key)}
            onKeep={answer.canGo ? (isKept) => tick(answer.key, isKept) : null}
          />
        ))}
      </div>
      <Refusal />
    </Page>
  );
}

/** Each by its model; where one answered several times, with a number. */
function titlesOf(answers: readonly Answer[], providers: readonly ProviderView[]): readonly (string | null)[] {
  const labels = answers.map(({ node, branch }) => {
    const { provider, model } = {
      provider: node?.provider ?? branch?.provider,
      model: node?.modelUsed ?? branch?.model,
    };
    return provider == null || model == null ? null : modelLabel(providers, provider, model);
  });
  return labels.map((label, index) => {
    if (label === null || labels.filter((each) => each === label).length < 2) return label;
    return `${label} ${labels.slice(0, index + 1).filter((each) => each === label).length}`;
  });
}

/** The names of the branches would tell which is which, and so would their order. Whatever ends stays in its place. */
function mixed(answers: readonly Answer[]): readonly Answer[] {
  return inBlindOrder(answers.map((answer) => ({ id: answer.key, answer }))).map(({ answer }) => answer);
}
