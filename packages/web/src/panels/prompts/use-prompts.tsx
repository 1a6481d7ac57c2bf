import type { PromptView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import { lazy, Suspense, useEffect, useEffectEvent, useId, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { isComposing } from '../../parts/enter-key.ts';
import { onPrompt } from '../../session/composer-bus.ts';
import { promptsQuery } from '../../session/library.ts';
import type { Variable } from '../../view/prompt-text.ts';
import { CLIPBOARD, DATE, fillIn, matchingPrompts, slashSearch, variablesIn } from '../../view/prompt-text.ts';
import { PromptMenu } from './prompt-menu.tsx';

const FillDialog = lazy(() =>
  import('./fill-dialog.tsx').then(({ FillDialog: component }) => ({ default: component })),
);

interface MessageBox {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly area: RefObject<HTMLTextAreaElement | null>;
}

interface Asked {
  readonly prompt: PromptView;
  readonly variables: readonly Variable[];
  readonly known: ReadonlyMap<string, string>;
}

interface Prompts {
  /** Above the message box, while a slash is typed. */
  readonly menu: ReactNode;
  /** Outside every form. */
  readonly dialog: ReactNode;
  /** For the message box, while the menu is open. */
  readonly attributes: Readonly<Record<string, string>>;
  /** True where the menu took the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** The prompt library in a message box: a slash at its beginning opens a menu, and the palette chooses as well. */
export function usePrompts({ text, write, area }: MessageBox): Prompts {
  const t = useT();
  const navigate = useNavigate();
  const menuId = useId();
  const [active, setActive] = useState(0);
  /** What was on the screen when the menu was closed: it stays closed until something else is typed. */
  const [dismissed, setDismissed] = useState<string | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const search = slashSearch(text);
  const prompts = useQuery({ ...promptsQuery, enabled: search !== null }).data;
  const found = search === null ? [] : matchingPrompts(prompts ?? [], search);
  const isOpen = search !== null && dismissed !== text && prompts !== undefined && (found.length > 0 || search === '');
  /** The last line leads to the library itself. */
  const count = found.length + 1;
  const current = Math.min(active, count - 1);

  const insert = (next: string): void => {
    // A slash and what was searched for make way; anything else that is written stays.
    write(search !== null || text.trim() === '' ? next : `${text}\n${next}`);
    setActive(0);
    requestAnimationFrame(() => {
      const element = area.current;
      element?.focus();
      element?.setSelectionRange(element.value.length, element.value.length);
    });
  };
  const choose = async (prompt: PromptView): Promise<void> => {
    const variables = variablesIn(prompt.text);
    const known = new Map<string, string>();
    for (const { name } of variables) {
      if (name === DATE) known.set(name, new Date().toLocaleDateString(t.locale, { dateStyle: 'long' }));
      if (name === CLIPBOARD) await readClipboard().then((copied) => copied !== null && known.set(name, copied));
    }
    const open = variables.filter(({ name }) => !known.has(name));
    if (open.length === 0) insert(fillIn(prompt.text, known));
    else setAsked({ prompt, variables: open, known });
  };
  const select = (index: number): void => {
    const prompt = found[index];
    if (prompt !== undefined) return void choose(prompt);
    write('');
    void navigate({ to: '/settings', hash: 'prompts' });
  };
  const onChosen = useEffectEvent((prompt: PromptView) => void choose(prompt));
  useEffect(() => onPrompt((prompt) => onChosen(prompt)), []);

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!isOpen || isComposing(event)) return false;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        setActive((current + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
        break;
      case 'Enter':
      case 'Tab':
        if (event.shiftKey) return false;
        select(current);
        break;
      case 'Escape':
        setDismissed(text);
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  };
  const optionId = (index: number): string => `${menuId}-${index}`;
  return {
    onKeyDown,
    attributes: isOpen
      ? { 'aria-autocomplete': 'list', 'aria-controls': menuId, 'aria-activedescendant': optionId(current) }
      : {},
    menu: isOpen ? (
      <PromptMenu id={menuId} prompts={found} active={current} optionId={optionId} onSelect={select} />
    ) : null,
    dialog:
      asked === null ? null : (
        <Suspense fallback={null}>
          <FillDialog
            prompt={asked.prompt}
            variables={asked.variables}
            onClose={() => setAsked(null)}
            onFill={(values) => {
              insert(fillIn(asked.prompt.text, new Map([...asked.known, ...values])));
              setAsked(null);
            }}
          />
        </Suspense>
      ),
  };
}

/** Null where the browser does not let the page read it: then it is asked for like anything else. */
async function readClipboard(): Promise<string | null> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return null;
  }
}
