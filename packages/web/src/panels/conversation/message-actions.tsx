import type { BranchView, NodeView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import {
  AskManyIcon,
  BranchIcon,
  CheckIcon,
  CompactIcon,
  CopyIcon,
  EditIcon,
  GatewayIcon,
  LinkIcon,
  MoreIcon,
  QuoteIcon,
  RawIcon,
  RetryIcon,
  TrashIcon,
} from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { insertIntoComposer } from '../../session/composer-bus.ts';
import { useIsRecorded } from '../../session/gateway.ts';
import { attempt } from '../../session/refusals.ts';
import { useCopy } from '../../session/use-copy.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { client } from '../../session/client.ts';
import type { ChoiceChanges } from '../../view/choices.ts';
import { quoted } from '../../view/reply.ts';
import { AskManyDialog } from '../ask-many/lazy.tsx';
import { KeptDialog, KeptItems, Star } from '../kept/lazy.tsx';
import { MergeDialog, MergeItem } from '../merge/lazy.tsx';
import { ChoiceItems } from './choice-items.tsx';
import { RegenerateMenu } from './regenerate-menu.tsx';
import { Versions } from './versions.tsx';

const ChooseDialog = lazy(() =>
  import('../../parts/choose-dialog/index.tsx').then(({ ChooseDialog: component }) => ({ default: component })),
);
const CompactDialog = lazy(() =>
  import('../compaction/dialog.tsx').then(({ CompactDialog: component }) => ({ default: component })),
);
const DeleteDialog = lazy(() =>
  import('../../parts/delete-dialog/index.tsx').then(({ DeleteDialog: component }) => ({ default: component })),
);
const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);
const ExchangeDialog = lazy(() =>
  import('../exchange/index.tsx').then(({ ExchangeDialog: component }) => ({ default: component })),
);
const RawDialog = lazy(() => import('./raw-dialog.tsx').then(({ RawDialog: component }) => ({ default: component })));

interface MessageActionsProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** The node that actions apply to; for a reply its last one. */
  readonly node: NodeView;
  /** The node that has the siblings; for a reply its first one. */
  readonly first: NodeView | null;
  /** The message that a reply answers; null for anything else. */
  readonly answers: string | null;
  readonly text: string;
  /** All that belongs to it: a reply with tools is several nodes. */
  readonly nodeIds: readonly string[];
  readonly onEdit?: () => void;
}

export function MessageActions(props: MessageActionsProps) {
  const { projectId, branch, node, first, answers, text, nodeIds, onEdit } = props;
  const t = useT();
  const { regenerate, remove } = useTurnActions(projectId, branch);
  const [open, setOpen] = useState<
    'branch' | 'other-model' | 'raw' | 'exchange' | 'compact' | 'delete' | 'kept' | 'ask' | 'merge' | null
  >(null);
  const [choices, setChoices] = useState<ChoiceChanges | null>(null);
  const isRecorded = useIsRecorded(projectId);
  const [copied, copy] = useCopy();
  const [linked, copyLink] = useCopy();
  const isReply = node.role === 'assistant';
  const close = (): void => setOpen(null);
  const again = (n: number): void => void attempt(() => regenerate({ nodeId: node.id, n }));
  return (
    <div className="actions">
      <IconButton label={copied ? t('reply.copied') : t('reply.copy')} onClick={() => void copy(text)}>
        {copied ? <CheckIcon /> : <CopyIcon />}
      </IconButton>
      {onEdit === undefined ? null : (
        <IconButton label={t('reply.edit')} onClick={onEdit}>
          <EditIcon />
        </IconButton>
      )}
      {isReply ? (
        <>
          <IconButton label={t('reply.regenerate')} onClick={() => again(1)}>
            <RetryIcon />
          </IconButton>
          <RegenerateMenu about={{ projectId, ref: branch.id, nodeId: (first ?? node).id }} onChoose={again} />
        </>
      ) : null}
      <IconButton label={t('reply.branch')} onClick={() => setOpen('branch')}>
        <BranchIcon />
      </IconButton>
      <Star projectId={projectId} nodeId={(first ?? node).id} />
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="icon-button" aria-label={t('reply.more')}>
          <MoreIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" collisionPadding={8}>
            <DropdownMenu.Item className="menu-item" onSelect={() => insertIntoComposer(quoted(text))}>
              <QuoteIcon />
              {t('reply.quote')}
            </DropdownMenu.Item>
            <DropdownMenu.Item
              className="menu-item"
              onSelect={() => void copyLink(linkTo(projectId, branch.name, (first ?? node).id))}
            >
              <LinkIcon />
              {t('reply.link')}
            </DropdownMenu.Item>
            {node.role === 'user' ? (
              <DropdownMenu.Item className="menu-item" onSelect={() => setOpen('ask')}>
                <AskManyIcon />
                {t('ask.open')}
              </DropdownMenu.Item>
            ) : null}
            {node.isError || text.trim() === '' ? null : (
              <MergeItem projectId={projectId} onOpen={() => setOpen('merge')} />
            )}
            {isReply ? (
              <DropdownMenu.Item className="menu-item" onSelect={() => setOpen('other-model')}>
                <RetryIcon />
                {t('reply.regenerate.other')}
              </DropdownMenu.Item>
            ) : null}
            {isReply ? (
              <DropdownMenu.Item className="menu-item" onSelect={() => setOpen('raw')}>
                <RawIcon />
                {t('reply.raw')}
              </DropdownMenu.Item>
            ) : null}
            <DropdownMenu.Separator className="menu-separator" />
            <KeptItems
              projectId={projectId}
              nodeId={(first ?? node).id}
              isReply={isReply}
              onEdit={() => setOpen('kept')}
            />
            <DropdownMenu.Separator className="menu-separator" />
            <ChoiceItems projectId={projectId} branch={branch} nodeIds={nodeIds} onAsk={setChoices} />
            <DropdownMenu.Item className="menu-item" onSelect={() => setOpen('compact')}>
              <CompactIcon />
              {t('compact.open')}
            </DropdownMenu.Item>
            {isReply && isRecorded && node.turnId !== null ? (
              <DropdownMenu.Item className="menu-item" onSelect={() => setOpen('exchange')}>
                <GatewayIcon />
                {t('exchange.open')}
              </DropdownMenu.Item>
            ) : null}
            <DropdownMenu.Separator className="menu-separator" />
            <DropdownMenu.Item className="menu-item danger" onSelect={() => setOpen('delete')}>
              <TrashIcon />
              {t('reply.delete')}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {first === null ? null : <Versions projectId={projectId} branch={branch} node={first} answers={answers} />}
      <span className="linked" role="status">
        {linked ? t('reply.linked') : ''}
      </span>
      <Suspense fallback={null}>
        {open === 'branch' ? (
          <BranchDialog projectId={projectId} source={branch} fromNodeId={node.id} onClose={close} />
        ) : null}
        {open === 'other-model' ? (
          <BranchDialog projectId={projectId} source={branch} regenerateNodeId={node.id} onClose={close} />
        ) : null}
        {open === 'ask' ? (
          <AskManyDialog projectId={projectId} branch={branch} question={{ nodeId: node.id }} onClose={close} />
        ) : null}
        {open === 'merge' ? (
          <MergeDialog projectId={projectId} branch={branch} nodeIds={nodeIds} onClose={close} />
        ) : null}
        {open === 'exchange' && node.turnId !== null ? (
          <ExchangeDialog projectId={projectId} turnId={node.turnId} onClose={close} />
        ) : null}
        {open === 'kept' ? <KeptDialog projectId={projectId} nodeId={(first ?? node).id} onClose={close} /> : null}
        {open === 'raw' ? <RawDialog projectId={projectId} nodeId={node.id} onClose={close} /> : null}
        {choices === null ? null : (
          <ChooseDialog projectId={projectId} branch={branch} choices={choices} onClose={() => setChoices(null)} />
        )}
        {open === 'compact' ? (
          <CompactDialog projectId={projectId} branch={branch} upTo={node.id} onClose={close} />
        ) : null}
        {open === 'delete' ? (
          <DeleteDialog
            title={t('reply.delete')}
            nodeId={first?.id ?? node.id}
            look={() => client.nodeDeletion(projectId, first?.id ?? node.id, 'cascade')}
            here={branch.name}
            onClose={close}
            onConfirm={() => void attempt(() => remove(first?.id ?? node.id))}
          />
        ) : null}
      </Suspense>
    </div>
  );
}

/** Where this message is read: on this branch, as long as that leads to it. */
function linkTo(projectId: string, branch: string, nodeId: string): string {
  const place = `/p/${encodeURIComponent(projectId)}/b/${encodeURIComponent(branch)}?node=${encodeURIComponent(nodeId)}`;
  return new URL(place, window.location.origin).href;
}
