import type { BranchView } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { CompareIcon, EditIcon, EyeIcon, MoreIcon, PinIcon, TrashIcon } from '../../parts/icons.tsx';
import { Rename } from '../../parts/rename.tsx';
import { client } from '../../session/client.ts';
import { refreshProject } from '../../session/queries.ts';
import { BRANCH_COLOURS } from '../../view/colour.ts';

interface BranchMenuProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly branches: readonly BranchView[];
}

export function BranchMenu({ projectId, branch, branches }: BranchMenuProps) {
  const t = useT();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  const update = async (change: Parameters<typeof client.updateBranch>[2]): Promise<void> => {
    const { branch: updated } = await client.updateBranch(projectId, branch.name, change);
    await refreshProject(projectId);
    if (updated.name !== branch.name)
      await navigate({ to: '/p/$projectId/b/$branch', params: { projectId, branch: updated.name } });
  };
  const remove = async (): Promise<void> => {
    await client.deleteBranch(projectId, branch.name);
    await navigate({ to: '/p/$projectId', params: { projectId } });
    await refreshProject(projectId);
  };
  const others = branches.filter((each) => each.id !== branch.id);
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="icon-button row-menu" aria-label={`${t('reply.more')}: ${branch.name}`}>
          <MoreIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="start">
            <DropdownMenu.Item className="menu-item" onSelect={() => setAsking('rename')}>
              <EditIcon />
              {t('branches.rename')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => void update({ pinned: !branch.pinned })}>
              <PinIcon />
              {branch.pinned ? t('branches.unpin') : t('branches.pin')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => void update({ hidden: !branch.hidden })}>
              <EyeIcon />
              {branch.hidden ? t('branches.show') : t('branches.hide')}
            </DropdownMenu.Item>
            <DropdownMenu.Group className="swatches" aria-label={t('branches.colour')}>
              {BRANCH_COLOURS.map((colour, index) => (
                <DropdownMenu.Item
                  key={colour}
                  className="swatch"
                  aria-label={`${t('branches.colour')} ${index + 1}`}
                  style={{ background: colour }}
                  onSelect={() => void update({ color: colour })}
                />
              ))}
            </DropdownMenu.Group>
            {others.length === 0 ? null : (
              <DropdownMenu.Sub>
                <DropdownMenu.SubTrigger className="menu-item">
                  <CompareIcon />
                  {t('branches.compare')}
                </DropdownMenu.SubTrigger>
                <DropdownMenu.Portal>
                  <DropdownMenu.SubContent className="menu">
                    {others.map((other) => (
                      <DropdownMenu.Item
                        key={other.id}
                        className="menu-item"
                        onSelect={() =>
                          void navigate({
                            to: '/p/$projectId/compare/$left/$right',
                            params: { projectId, left: branch.name, right: other.name },
                          })
                        }
                      >
                        {other.name}
                      </DropdownMenu.Item>
                    ))}
                  </DropdownMenu.SubContent>
                </DropdownMenu.Portal>
              </DropdownMenu.Sub>
            )}
            <DropdownMenu.Item className="menu-item danger" onSelect={() => setAsking('delete')}>
              <TrashIcon />
              {t('branches.delete')}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Rename
        open={asking === 'rename'}
        title={t('branches.rename')}
        name={branch.name}
        onClose={() => setAsking(null)}
        onRename={(name) => void update({ name })}
      />
      <Confirm
        open={asking === 'delete'}
        title={t('branches.delete')}
        question={t('branches.delete.sure', { name: branch.name })}
        onClose={() => setAsking(null)}
        onConfirm={() => void remove()}
      />
    </>
  );
}
