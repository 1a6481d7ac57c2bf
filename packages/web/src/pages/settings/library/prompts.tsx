import type { PromptView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useT } from '../../../i18n/later/index.ts';
import { Confirm } from '../../../parts/dialog.tsx';
import { EditIcon, PlusIcon, TrashIcon } from '../../../parts/icons.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { client } from '../../../session/client.ts';
import { promptsQuery, refreshPrompts } from '../../../session/library.ts';
import { errorText } from '../../../view/error-text.ts';
import { fromFile, toJson, toMarkdown } from '../../../view/prompt-files.ts';
import { PromptDialog } from './prompt-dialog.tsx';
import './library.css';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly prompt: PromptView } | null;

/** The prompt library. */
export function PromptSettings() {
  const t = useT();
  const prompts = useQuery(promptsQuery);
  const [open, setOpen] = useState<Open>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [told, setTold] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const close = (): void => setOpen(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(null);
    setTold('');
    try {
      await work();
      await refreshPrompts();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const read = async (files: readonly File[]): Promise<void> => {
    const texts = await Promise.all(files.map(async (each) => fromFile(each.name, await each.text())));
    const found = texts.flat();
    if (found.length === 0) return setProblem(t('prompts.import.nothing'));
    const { added, skipped } = await client.importPrompts(found.map((each) => ({ ...each, tags: [...each.tags] })));
    setTold(t('prompts.imported', { added, skipped }));
  };
  const list = prompts.data ?? [];
  return (
    <>
      <p className="library-about">{t('prompts.about')}</p>
      {prompts.isError ? <Problem message={prompts.error.message} /> : null}
      {problem === null ? null : <Problem message={problem} />}
      {list.length === 0 ? null : (
        <ul className="library-list" aria-labelledby="prompts-title">
          {list.map((prompt) => (
            <li key={prompt.id}>
              <div className="library-text">
                <span className="library-name">
                  {prompt.title}
                  {prompt.tags.map((tag) => (
                    <span key={tag} className="badge">
                      {tag}
                    </span>
                  ))}
                </span>
                <small className="library-line">{prompt.text.slice(0, 200)}</small>
              </div>
              <button
                type="button"
                className="icon-button"
                aria-label={`${t('library.edit')}: ${prompt.title}`}
                onClick={() => setOpen({ kind: 'edit', prompt })}
              >
                <EditIcon />
              </button>
              <button
                type="button"
                className="icon-button"
                aria-label={`${t('library.delete')}: ${prompt.title}`}
                onClick={() => setOpen({ kind: 'delete', prompt })}
              >
                <TrashIcon />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="setting-actions">
        <button type="button" className="button" onClick={() => setOpen({ kind: 'new' })}>
          <PlusIcon />
          {t('prompts.new')}
        </button>
        <button type="button" className="button quiet" onClick={() => file.current?.click()}>
          {t('prompts.import')}
        </button>
        <input
          ref={file}
          type="file"
          hidden
          multiple
          accept=".json,.md,.markdown,.txt"
          aria-label={t('prompts.import')}
          onChange={(event) => {
            const files = [...(event.target.files ?? [])];
            // The same file may be chosen again.
            event.target.value = '';
            if (files.length > 0) void attempt(() => read(files));
          }}
        />
        {list.length === 0 ? null : (
          <>
            <button
              type="button"
              className="button quiet"
              onClick={() => save('prompts.json', 'application/json', toJson(list))}
            >
              {t('prompts.export.json')}
            </button>
            <button
              type="button"
              className="button quiet"
              onClick={() => save('prompts.md', 'text/markdown', toMarkdown(list))}
            >
              {t('prompts.export.markdown')}
            </button>
          </>
        )}
        <span className="saved" role="status">
          {told}
        </span>
      </div>
      {open?.kind === 'new' ? <PromptDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <PromptDialog prompt={open.prompt} onClose={close} /> : null}
      {open?.kind === 'delete' ? (
        <Confirm
          open
          title={t('prompts.delete')}
          question={t('prompts.delete.sure', { name: open.prompt.title })}
          confirm={t('prompts.delete')}
          onConfirm={() => void attempt(() => client.deletePrompt(open.prompt.id))}
          onClose={close}
        />
      ) : null}
    </>
  );
}

/** Hands a file to the browser's downloads. */
function save(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
