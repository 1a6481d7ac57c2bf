import type { BranchView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { lazy, Suspense, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { BranchQuestion } from '../../parts/branch-question.tsx';
import { DownloadIcon, EyeIcon, PinIcon } from '../../parts/icons.tsx';
import { client } from '../../session/client.ts';
import { refreshProject } from '../../session/queries.ts';
import { useDeletion } from '../../session/use-deletion.ts';
import { BRANCH_COLOURS, branchColour } from '../../view/colour.ts';
import { MergeDialog, MergeItem } from '../merge/lazy.tsx';
import { CompareMenu } from './compare-menu.tsx';
import { RowMenu } from './row-menu.tsx';

const ExportDialog = lazy(() =>
  import('../../parts/export-dialog/index.tsx').then(({ ExportDialog: component }) => ({ default: component })),
);

interface BranchMenuProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly branches: readonly BranchView[];
  /** Whether Tab leads to it: in a tree only for the row that has the focus. */
  readonly isReachable: boolean;
}

export function BranchMenu({ projectId, branch, branches, isReachable }: BranchMenuProps) {
  const t = useT();
  const [exporting, setExporting] = useState(false);
  const [merging, setMerging] = useState(false);
  const update = async (change: Parameters<typeof client.updateBranch>[2]): Promise<void> => {
    await client.updateBranch(projectId, branch.name, change);
    await refreshProject(projectId);
  };
  const { deleteBranch } = useDeletion(projectId);
  return (
    <>
      <RowMenu
        name={branch.name}
        isReachable={isReachable}
        words={{
          rename: t('branches.rename'),
          delete: t('branches.delete'),
          sure: <BranchQuestion projectId={projectId} branch={branch} />,
        }}
        onRename={(name) => update({ name })}
        onDelete={() => deleteBranch(branch, branches)}
      >
        {(act) => (
          <>
            <DropdownMenu.Item className="menu-item" onSelect={() => act(() => update({ pinned: !branch.pinned }))}>
              <PinIcon />
              {branch.pinned ? t('branches.unpin') : t('branches.pin')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="menu-item" onSelect={() => act(() => update({ hidden: !branch.hidden }))}>
              <EyeIcon />
              {branch.hidden ? t('branches.show') : t('branches.hide')}
            </DropdownMenu.Item>
            <DropdownMenu.RadioGroup
              className="swatches"
              aria-label={t('branches.colour')}
              value={branchColour(branch.color, branches.indexOf(branch))}
            >
              {BRANCH_COLOURS.map((colour, index) => (
                <DropdownMenu.RadioItem
                  key={colour}
                  className="swatch"
                  value={colour}
                  aria-label={`${t('branches.colour')} ${index + 1}`}
                  style={{ background: colour }}
                  onSelect={() => act(() => update({ color: colour }))}
                />
              ))}
            </DropdownMenu.RadioGroup>
            <DropdownMenu.Item className="menu-item" onSelect={() => setExporting(true)}>
              <DownloadIcon />
              {t('export.menu')}
            </DropdownMenu.Item>
            <CompareMenu
              projectId={projectId}
              branch={branch}
              others={branches.filter((each) => each.id !== branch.id)}
            />
            {branch.tipId === null ? null : <MergeItem projectId={projectId} onOpen={() => setMerging(true)} />}
          </>
        )}
      </RowMenu>
      {exporting ? (
        <Suspense fallback={null}>
          <ExportDialog projectId={projectId} branch={branch.name} onClose={() => setExporting(false)} />
        </Suspense>
      ) : null}
      {merging ? (
        <Suspense fallback={null}>
          <MergeDialog projectId={projectId} branch={branch} onClose={() => setMerging(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
