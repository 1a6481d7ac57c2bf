import type { BranchView, NodeView } from '@bough/api/client';
import { lazy, Suspense, useId, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Folded } from '../../parts/folded.tsx';
import { MergeIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Prose } from '../../parts/prose.tsx';
import { isLeftOut } from '../../view/choices.ts';
import { messageCount } from '../../view/deletion.ts';
import { mergeOf, saidIn } from '../../view/merge.ts';
import { ChoiceMark } from '../conversation/choice-mark.tsx';
import { FidelityMark } from '../conversation/fidelity.tsx';
import { MessageActions } from '../conversation/message-actions.tsx';
import { KeptCard } from '../kept/lazy.tsx';
import { toldIn } from './told.ts';
import './merge.css';

const Origin = lazy(() => import('./origin.tsx').then(({ Origin: component }) => ({ default: component })));

interface MergedMessageProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly node: NodeView;
  readonly highlighted: boolean;
}

/** A message that nobody wrote here: it says from where it was brought, and opens to that. */
export function MergedMessage({ projectId, branch, node, highlighted }: MergedMessageProps) {
  const t = useT();
  const heading = useId();
  const [isOpen, setIsOpen] = useState(false);
  const merge = mergeOf(node);
  if (merge === null) return null;
  const text = saidIn(node);
  return (
    <section
      className="merged"
      role="group"
      aria-labelledby={heading}
      tabIndex={-1}
      data-left-out={isLeftOut(branch, [node.id]) ? '' : undefined}
      data-highlighted={highlighted ? '' : undefined}
    >
      <header>
        <MergeIcon />
        <p>
          <span id={heading} className="merged-title">
            {t('merged.title', { branch: merge.branchName })}
          </span>{' '}
          <span className="merged-by">
            {t(`merged.by.${merge.by}`, { messages: messageCount(merge.nodeIds.length, t) })}
          </span>
        </p>
      </header>
      <Folded height={240}>
        <Prose text={toldIn(merge.by, text, t)} />
      </Folded>
      <KeptCard projectId={projectId} nodeId={node.id} />
      <footer>
        <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t(isOpen ? 'merged.close' : 'merged.open')}
        </button>
        <ChoiceMark branch={branch} nodeIds={[node.id]} />
        <FidelityMark nodeIds={[node.id]} />
        <MessageActions
          projectId={projectId}
          branch={branch}
          node={node}
          // What comes after the same message on other branches is no other version of this.
          first={null}
          answers={null}
          text={text}
          nodeIds={[node.id]}
        />
      </footer>
      {isOpen ? (
        <Suspense fallback={<Loading failures={0} />}>
          <Origin projectId={projectId} branch={branch} nodeId={node.id} />
        </Suspense>
      ) : null}
    </section>
  );
}
