import type { PromptView } from '@bough/api/client';
import { useEffect, useRef } from 'react';
import { useT } from '../../i18n/index.ts';
import './prompts.css';

interface PromptMenuProps {
  readonly id: string;
  readonly prompts: readonly PromptView[];
  readonly active: number;
  readonly optionId: (index: number) => string;
  readonly onSelect: (index: number) => void;
}

/** The keyboard stays in the message box: this only shows what its keys move through. */
export function PromptMenu({ id, prompts, active, optionId, onSelect }: PromptMenuProps) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  useEffect(
    () => list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    [active],
  );
  const option = (index: number, title: string, more: string, className: string) => (
    <div
      key={optionId(index)}
      id={optionId(index)}
      role="option"
      aria-selected={index === active}
      className={className}
      // Not on click: by then the message box would have lost the keyboard.
      onPointerDown={(event) => {
        event.preventDefault();
        onSelect(index);
      }}
    >
      <span className="prompt-title">{title}</span>
      {more === '' ? null : <span className="prompt-more">{more}</span>}
    </div>
  );
  return (
    <div className="prompt-menu" role="listbox" id={id} aria-label={t('prompts.title')} ref={list}>
      {prompts.map(({ title, text }, index) => option(index, title, text.slice(0, 200), 'prompt-option'))}
      {option(prompts.length, t('prompts.manage'), '', 'prompt-option quiet')}
    </div>
  );
}
