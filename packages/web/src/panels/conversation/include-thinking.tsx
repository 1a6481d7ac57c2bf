import type { NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useContext, useId } from 'react';
import { useT } from '../../i18n/index.ts';
import { client } from '../../session/client.ts';
import { providersQuery, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { fateOf, losesLaterThinking } from '../../view/reasoning-fate.ts';
import { NextRequestContext } from './fidelity.tsx';

interface IncludeThinkingProps {
  readonly projectId: string;
  /** The replies whose reasoning is shown together: several if tools ran in between. */
  readonly nodes: readonly NodeView[];
}

/**
 * What becomes of this reasoning with the next message, as the next request says. Sending it as text is offered only
 * where that changes something, and what it does is said before it is chosen.
 */
export function IncludeThinking({ projectId, nodes }: IncludeThinkingProps) {
  const t = useT();
  const { branch, lines } = useContext(NextRequestContext);
  const providers = useQuery(providersQuery).data?.providers;
  const id = useId();
  const fate = fateOf(lines, nodes);
  // It may be on because of another branch; then it can be switched off from here as well.
  const on = nodes.filter((node) => node.includeThinkingInContext);
  const off = nodes.filter((node) => !node.includeThinkingInContext && lines.get(node.id)?.reasoning === 'left_out');
  if (branch === null || (fate === null && on.length === 0)) return null;
  const model = providers?.find((each) => each.id === branch.provider)?.models.find((each) => each.id === branch.model);
  const loses = model?.bindsThinkingToPrefix === true && off.some((node) => losesLaterThinking(lines, node.id));
  const isOn = off.length === 0;
  const toggle = async (): Promise<void> => {
    for (const node of isOn ? on : off) await client.setThinking(projectId, node.id, !isOn, branch.id);
    await refreshProject(projectId);
  };
  return (
    <div className="include-thinking">
      {on.length + off.length === 0 ? null : (
        <label className="check-line">
          <input type="checkbox" checked={isOn} aria-describedby={id} onChange={() => void attempt(toggle)} />{' '}
          {t('thinking.include')}
        </label>
      )}
      <p
        id={id}
        className={fate === 'as_text' ? 'notice warn' : 'faint'}
        role={fate === 'as_text' ? 'status' : undefined}
      >
        {t(`thinking.fate.${fate ?? 'not_sent'}`, { model: model?.label ?? branch.model })}
        {loses ? ` ${t('thinking.fate.loses')}` : ''}
      </p>
    </div>
  );
}
