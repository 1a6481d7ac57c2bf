import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { EditIcon, MoreIcon, TrashIcon } from '../../parts/icons.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Rename } from '../../parts/rename.tsx';
import { errorText } from '../../view/error-text.ts';

/** Does something, and reports a refusal to the reader. */
export type Act = (work: () => Promise<void>) => void;

interface RowMenuProps {
  readonly name: string;
  readonly words: { readonly rename: string; readonly delete: string; readonly sure: ReactNode };
  readonly isReachable?: boolean;
  readonly onRename: (name: string) => Promise<void>;
  readonly onDelete: () => Promise<void>;
  /** The items between renaming and deleting. */
  readonly children: (act: Act) => ReactNode;
}

/** What can be done to a project or a branch in the list. */
export function RowMenu({ name, words, isReachable = true, onRename, onDelete, children }: RowMenuProps) {
  const t = useT();
  const [asking, setAsking] = useState<'rename' | 'delete' | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const act: Act = (work) => void attempt(work);
  return (
    <>
      <DropdownMenu.Root modal={false} onOpenChange={() => setProblem(null)}>
        <DropdownMenu.Trigger
          className="icon-button row-menu"
          aria-label={`${t('reply.more')}: ${name}`}
          tabIndex={isReachable ? 0 : -1}
        >
          <MoreIcon />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="start" collisionPadding={8}>
            <DropdownMenu.Item className="menu-item" onSelect={() => setAsking('rename')}>
              <EditIcon />
              {words.rename}
            </DropdownMenu.Item>
            {children(act)}
            <DropdownMenu.Separator className="menu-separator" />
            <DropdownMenu.Item className="menu-item danger" onSelect={() => setAsking('delete')}>
              <TrashIcon />
              {words.delete}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {problem === null ? null : <Problem message={problem} />}
      <Rename
        open={asking === 'rename'}
        title={words.rename}
        name={name}
        onClose={() => setAsking(null)}
        onRename={(next) => act(() => onRename(next))}
      />
      <Confirm
        open={asking === 'delete'}
        title={words.delete}
        question={words.sure}
        confirm={words.delete}
        onClose={() => setAsking(null)}
        onConfirm={() => act(onDelete)}
      />
    </>
  );
}
