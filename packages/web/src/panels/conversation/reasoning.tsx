import type { NodeView } from '@bough/api/client';
import { badgeOf } from '@bough/core';
import { useContext, useDeferredValue, useEffect, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ChevronRightIcon, ThoughtIcon } from '../../parts/icons.tsx';
import { Prose } from '../../parts/prose.tsx';
import { Explain } from '../../parts/tooltip.tsx';
import { usePreferences } from '../../session/preferences.ts';
import { useOpened } from '../../session/opened.ts';
import { formatDuration, formatSeconds } from '../../view/format.ts';
import type { ShownItem } from '../../view/items.ts';
import { Approvals } from './approvals.ts';
import { lastLineOf } from '../../view/thought-time.ts';
import { useFollowEnd } from './follow-end.ts';
import { IncludeThinking } from './include-thinking.tsx';
import { ToolRun } from './tool-run.tsx';

interface ReasoningProps {
  readonly items: readonly ShownItem[];
  readonly nodes: readonly NodeView[];
  /** Names this panel: whether it is open is remembered by it. */
  readonly place: string;
  /** How long the model thought; null if that is unknown. */
  readonly thoughtMs: number | null;
  /** When the newest piece arrived; null once it is stored. */
  readonly thoughtAt: number | null;
  readonly projectId: string;
  readonly live: boolean;
}

/** Shorter than that is no time that anybody wants to know. */
const NOTABLE_MS = 50;

/** What the model thought, with the tools it used meanwhile: folded until somebody wants to read it. */
export function Reasoning({ items, nodes, place, thoughtMs, thoughtAt, projectId, live }: ReasoningProps) {
  const t = useT();
  const { reasoningOpen } = usePreferences();
  const [chosen, setChosen] = useOpened(place);
  // A call that waits for a person must not be folded away.
  const { waiting } = useContext(Approvals);
  const waits = items.some((item) => item.type === 'tool' && waiting.has(item.id));
  const open = waits || (chosen ?? reasoningOpen);
  // Rendered in pieces: a long text must not keep the page from answering the click.
  const shown = useDeferredValue(open);
  const last = items.at(-1);
  const isThinking = live && last?.type === 'think';
  const running = useSeconds(isThinking && thoughtAt !== null);
  const body = useFollowEnd(live);
  const time =
    thoughtMs === null
      ? null
      : isThinking && thoughtAt !== null
        ? formatSeconds(thoughtMs + Math.max(0, running - thoughtAt), t.locale)
        : thoughtMs < NOTABLE_MS
          ? null
          : formatDuration(thoughtMs, t.locale);
  const tools = items.filter((item) => item.type === 'tool').length;
  const facts = [
    live ? t('reasoning.live') : t('reasoning.title'),
    ...(tools === 0 ? [] : [tools === 1 ? t('reasoning.tool') : t('reasoning.tools', { count: tools })]),
    ...(time === null ? [] : [time]),
  ];
  const badges = [...new Set(nodes.map((node) => badgeOf(node.thinking)).filter((badge) => badge !== null))];
  const hidden = items.every((item) => item.type !== 'think' || item.text === '');
  return (
    <div className="reasoning" data-live={live ? '' : undefined}>
      <div className="reasoning-head">
        <button type="button" className="reasoning-toggle" aria-expanded={open} onClick={() => setChosen(!open)}>
          <ThoughtIcon />
          <span>{facts.join(' · ')}</span>
          <ChevronRightIcon />
        </button>
        {badges.map((badge) => (
          <Explain key={badge} text={t(`badge.${badge}.why`)}>
            <span className="badge thought" tabIndex={0}>
              {t(`badge.${badge}`)}
            </span>
          </Explain>
        ))}
      </div>
      {isThinking && !open && last.text !== '' ? (
        <p className="reasoning-preview" dir="auto" aria-hidden="true">
          {lastLineOf(last.text)}
        </p>
      ) : null}
      {open && shown ? (
        <div ref={body} className="reasoning-body" role="group" aria-label={t('reasoning.title')} tabIndex={0}>
          {hidden ? <p className="faint">{t('reasoning.empty')}</p> : null}
          {items.map((item, index) =>
            item.type === 'tool' ? (
              <ToolRun key={item.id} item={item} />
            ) : item.type === 'provider' || item.type === 'file' || item.text === '' ? null : (
              <Prose key={index} text={item.text} quiet streaming={isThinking && item === last} />
            ),
          )}
          {live ? null : <IncludeThinking projectId={projectId} nodes={nodes} />}
        </div>
      ) : null}
    </div>
  );
}

/** The time, read once a second while somebody waits. */
function useSeconds(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 1_000);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  return now;
}
