import type { BranchView, NodeView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { DeleteDialog } from '../../parts/delete-dialog/index.tsx';
import {
  BranchIcon,
  CheckIcon,
  ChevronLeftIcon,
  ChevronRightIcon,
  CopyIcon,
  EditIcon,
  MoreIcon,
  QuoteIcon,
  RawIcon,
  RetryIcon,
  TrashIcon,
} from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { insertIntoComposer } from '../../session/composer-bus.ts';
import { attempt } from '../../session/refusals.ts';
import { useCopy } from '../../session/use-copy.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { client } from '../../session/client.ts';
import { quoted } from '../../view/reply.ts';

const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);
const RawDialog = lazy(() => import('./raw-dialog.tsx').then(({ RawDialog: component }) => ({ default: component })));

interface MessageActionsProps {
  readonly projectId: string;
  readonly branch: BranchView;
  /** The node that actions apply to; for a reply its last one. */
  readonly node: NodeView;
  /** The node that has the siblings; for a reply its first one. */
  readonly first: NodeView | null;
  readonly text: string;
  readonly onEdit?: () => void;
}

export function MessageActions({ projectId, branch, node, first, text, onEdit }: MessageActionsProps) {
  const t = useT();
  const { regenerate, remove } = useTurnActions(projectId, branch);
  const [open, setOpen] = useState<'branch' | 'other-model' | 'raw' | 'delete' | null>(null);
  const [copied, copy] = useCopy();
  const isReply = node.role === 'assistant';
  const close = (): void => setOpen(null);
  return (
    <div className="actions">
      {first === null ? null : <SiblingSwitcher projectId={projectId} branch={branch} node={first} />}
      <IconButton label={copied ? t('reply.copied') : t('reply.copy')} onClick={() => void copy(text)}>
        {copied ? <CheckIcon /> : <CopyIcon />}
      </IconButton>
      {onEdit === undefined ? null : (
        <IconButton label={t('reply.edit')} onClick={onEdit}>
          <EditIcon />
        </IconButton>
      )}
      {isReply ? (
        <IconButton label={t('reply.regenerate')} onClick={() => void attempt(() => regenerate({ nodeId: node.id }))}>
          <RetryIcon />
        </IconButton>
      ) : null}
      <IconButton label={t('reply.branch')} onClick={() => setOpen('branch')}>
        <BranchIcon />
      </IconButton>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="icon-button" aria-label={t('reply.more')}>
          <MoreIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" collisionPadding={8}>
            <DropdownMenu.Item className="menu-item" onSelect={() => insertIntoComposer(quoted(text))}>
              <QuoteIcon />
              {t('reply.quote')}
            </DropdownMenu.Item>
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
            <DropdownMenu.Item className="menu-item danger" onSelect={() => setOpen('delete')}>
              <TrashIcon />
              {t('reply.delete')}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Suspense fallback={null}>
        {open === 'branch' ? (
          <BranchDialog projectId={projectId} source={branch} fromNodeId={node.id} onClose={close} />
        ) : null}
        {open === 'other-model' ? (
          <BranchDialog projectId={projectId} source={branch} regenerateNodeId={node.id} onClose={close} />
        ) : null}
        {open === 'raw' ? <RawDialog projectId={projectId} nodeId={node.id} onClose={close} /> : null}
      </Suspense>
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
    </div>
  );
}

/** ‹ 2/3 ›: the other versions of a message. Choosing one moves the branch to the newest leaf below it. */
function SiblingSwitcher({ projectId, branch, node }: Pick<MessageActionsProps, 'projectId' | 'branch' | 'node'>) {
  const t = useT();
  const { moveTip } = useTurnActions(projectId, branch);
  const { siblingIds } = node;
  if (siblingIds.length < 2) return null;
  const at = siblingIds.indexOf(node.id);
  const show = async (index: number): Promise<void> => {
    const id = siblingIds[index];
    if (id !== undefined) await moveTip(await newestBelow(id));
  };
  return (
    <span
      className="siblings"
      role="group"
      aria-label={t('reply.sibling.of', { index: at + 1, count: siblingIds.length })}
    >
      <IconButton
        label={t('reply.sibling.previous')}
        disabled={at <= 0 || branch.runningTurnId !== null}
        onClick={() => void attempt(() => show(at - 1))}
      >
        <ChevronLeftIcon />
      </IconButton>
      <span>
        {at + 1}/{siblingIds.length}
      </span>
      <IconButton
        label={t('reply.sibling.next')}
        disabled={at >= siblingIds.length - 1 || branch.runningTurnId !== null}
        onClick={() => void attempt(() => show(at + 1))}
      >
        <ChevronRightIcon />
      </IconButton>
    </span>
  );
}

async function newestBelow(nodeId: string): Promise<string> {
  const { nodes } = await client.getChildren(nodeId);
  const newest = nodes.at(-1);
  return newest === undefined ? nodeId : newestBelow(newest.id);
}
