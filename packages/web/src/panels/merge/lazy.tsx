import { useQuery } from '@tanstack/react-query';
import { DropdownMenu } from 'radix-ui';
import type { ComponentProps } from 'react';
import { lazy, Suspense } from 'react';
import { useT } from '../../i18n/index.ts';
import { MergeIcon } from '../../parts/icons.tsx';
import { projectQuery } from '../../session/queries.ts';

export const MergeDialog = lazy(() =>
  import('./dialog.tsx').then(({ MergeDialog: component }) => ({ default: component })),
);
const Message = lazy(() => import('./message.tsx').then(({ MergedMessage: component }) => ({ default: component })));

/** What was brought from another branch, in its place in the conversation. */
export function MergedMessage(props: ComponentProps<typeof Message>) {
  return (
    <Suspense fallback={<section className="merged" />}>
      <Message {...props} />
    </Suspense>
  );
}

interface MergeItemProps {
  readonly projectId: string;
  readonly onOpen: () => void;
}

/** The entry of a menu that opens the dialog; where there is no other branch, there is nothing to bring anything to. */
export function MergeItem({ projectId, onOpen }: MergeItemProps) {
  const t = useT();
  const branches = useQuery(projectQuery(projectId)).data?.branches ?? [];
  if (branches.length < 2) return null;
  return (
    <DropdownMenu.Item className="menu-item" onSelect={onOpen}>
      <MergeIcon />
      {t('merge.open')}
    </DropdownMenu.Item>
  );
}
