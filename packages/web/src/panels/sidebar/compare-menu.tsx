import type { BranchView } from '@bough/api/client';
import { useNavigate } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import type { KeyboardEvent } from 'react';
import { useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { isComposing } from '../../parts/enter-key.ts';
import { CompareIcon } from '../../parts/icons.tsx';
import { matches } from '../../view/matches.ts';

interface CompareMenuProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly others: readonly BranchView[];
}

/** So many names can be seen at a glance; above that, the menu has a field to filter them. */
const AT_A_GLANCE = 8;

/** The branches that this one can be compared with. Whatever is typed filters them, wherever the keyboard is. */
export function CompareMenu({ projectId, branch, others }: CompareMenuProps) {
  const t = useT();
  const navigate = useNavigate();
  const [filter, setFilter] = useState('');
  const content = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  if (others.length === 0) return null;
  const hasFilter = others.length > AT_A_GLANCE;
  const shown = hasFilter ? others.filter(({ name }) => matches(name, filter)) : others;
  const compare = (right: string): void =>
    void navigate({ to: '/p/$projectId/compare/$left/$right', params: { projectId, left: branch.name, right } });
  const firstItem = (): HTMLElement | null => content.current?.querySelector('[role="menuitem"]') ?? null;

  /** The menu would jump to the name that begins with the letter; the field narrows the list down instead. */
  const typeIntoField = (event: KeyboardEvent): void => {
    const isTyped = event.key === 'Backspace' || (event.key.length === 1 && event.key !== ' ');
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (!hasFilter || event.target === field.current || !isTyped || isShortcut) return;
    event.stopPropagation();
    field.current?.focus();
  };
  const leaveField = (event: KeyboardEvent): void => {
    // The menu closes on Escape; every other key belongs to the field, also those that mean something in a menu.
    if (event.key === 'Escape') return;
    event.stopPropagation();
    if (event.key !== 'ArrowDown' && event.key !== 'Enter' && event.key !== 'Tab') return;
    if (isComposing(event)) return;
    event.preventDefault();
    if (event.key === 'Enter') firstItem()?.click();
    else firstItem()?.focus();
  };

  const items = shown.map(({ id, name }) => (
    <DropdownMenu.Item key={id} className="menu-item" onSelect={() => compare(name)}>
      {name}
    </DropdownMenu.Item>
  ));
  return (
    <DropdownMenu.Sub onOpenChange={() => setFilter('')}>
      <DropdownMenu.SubTrigger className="menu-item">
        <CompareIcon />
        {t('branches.compare')}
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent
          ref={content}
          className={hasFilter ? 'menu filtered' : 'menu'}
          // A menu has nothing in it but items: with a field, it is a dialog that contains a menu.
          {...(hasFilter ? { role: 'dialog', 'aria-orientation': undefined } : {})}
          collisionPadding={8}
          onKeyDownCapture={typeIntoField}
        >
          {hasFilter ? (
            <>
              <div className="menu-filter">
                <input
                  ref={field}
                  type="search"
                  className="input"
                  aria-label={t('branches.compare.filter')}
                  placeholder={t('branches.compare.filter')}
                  value={filter}
                  onChange={(event) => setFilter(event.target.value)}
                  onKeyDown={leaveField}
                />
              </div>
              {shown.length === 0 ? (
                <p className="menu-none">{t('branches.compare.none')}</p>
              ) : (
                <div role="menu" className="menu-items" aria-label={t('branches.compare')}>
                  {items}
                </div>
              )}
            </>
          ) : (
            items
          )}
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  );
}
