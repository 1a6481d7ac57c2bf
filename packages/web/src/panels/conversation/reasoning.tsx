import type { NodeView } from '@bough/api/client';
import { badgeOf } from '@bough/core';
import { useContext, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { ChevronRightIcon, ThoughtIcon } from '../../parts/icons.tsx';
import { Prose } from '../../parts/prose.tsx';
import { Explain } from '../../parts/tooltip.tsx';
import { client } from '../../session/client.ts';
import { usePreferences } from '../../session/preferences.ts';
import { refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { formatDuration } from '../../view/format.ts';
import type { ShownItem } from '../../view/items.ts';
import { Approvals } from './approvals.ts';
import { ToolRun } from './tool-run.tsx';

interface ReasoningProps {
  readonly items: readonly ShownItem[];
  readonly nodes: readonly NodeView[];
  readonly durationMs: number | null;
  readonly projectId: string;
  readonly live: boolean;
}

/** What the model thought, with the tools it used meanwhile: folded until somebody wants to read it. */
export function Reasoning({ items, nodes, durationMs, projectId, live }: ReasoningProps) {
  const t = useT();
  const { reasoningOpen } = usePreferences();
  const [chosen, setChosen] = useState<boolean | null>(null);
  // A call that waits for a person must not be folded away.
  const { waiting } = useContext(Approvals);
  const waits = items.some((item) => item.type === 'tool' && waiting.has(item.id));
  const open = waits || (chosen ?? reasoningOpen);
  const tools = items.filter((item) => item.type === 'tool').length;
  const facts = [
    live ? t('reasoning.live') : t('reasoning.title'),
    ...(tools === 0 ? [] : [tools === 1 ? t('reasoning.tool') : t('reasoning.tools', { count: tools })]),
    ...(durationMs === null ? [] : [formatDuration(durationMs, t.locale)]),
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
      {open ? (
        <div className="reasoning-body">
          {hidden ? <p className="faint">{t('reasoning.empty')}</p> : null}
          {items.map((item, index) =>
            item.type === 'tool' ? (
              <ToolRun key={item.id} item={item} />
            ) : item.text === '' ? null : (
              <Prose key={index} text={item.text} quiet />
            ),
          )}
          {live ? null : nodes.map((node) => <IncludeThinking key={node.id} projectId={projectId} node={node} />)}
        </div>
      ) : null}
    </div>
  );
}

/** Sends a node's reasoning as text, with the corresponding warning. */
function IncludeThinking({ projectId, node }: { readonly projectId: string; readonly node: NodeView }) {
  const t = useT();
  const [warning, setWarning] = useState<string | null>(null);
  if (node.thinking === null) return null;
  const toggle = async (): Promise<void> => {
    const result = await client.setThinking(projectId, node.id, !node.includeThinkingInContext);
    setWarning(result.warning);
    await refreshProject(projectId);
  };
  return (
    <div className="include-thinking">
      <label>
        <input type="checkbox" checked={node.includeThinkingInContext} onChange={() => void attempt(toggle)} />{' '}
        {t('thinking.include')}
      </label>
      {warning === null && !node.includeThinkingInContext ? null : (
        <p className="notice warn" role="status">
          {warning ?? t('reason.thinking_included_as_text')}
        </p>
      )}
    </div>
  );
}
