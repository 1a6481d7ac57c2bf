import type { BranchView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useT } from '../../i18n/index.ts';
import { isComposing } from '../../parts/enter-key.ts';
import { AttachButton } from '../../parts/files/attach-button.tsx';
import { FileChips } from '../../parts/files/chips.tsx';
import { FilesFate } from '../../parts/files/fate.tsx';
import { useAttachments } from '../../session/attachments.ts';
import { providersQuery } from '../../session/queries.ts';
import type { Written } from '../../view/message-content.ts';
import { filesOf, isBlank } from '../../view/message-content.ts';

interface EditMessageProps {
  readonly projectId: string;
  readonly branch: BranchView;
  readonly node: NodeView;
  readonly text: string;
  /** Not when it is scrolled back into view: the keyboard may be elsewhere by then. */
  readonly autoFocus: boolean;
  readonly onWrite: (text: string) => void;
  /** Resolves to whether it was sent. */
  readonly onSave: (message: Written) => Promise<boolean>;
  /** Esc: what was written is kept. */
  readonly onLeave: () => void;
  readonly onCancel: () => void;
}

/** A message that is being written anew, with its files: they can be kept, removed and joined by others. */
export function EditMessage({
  projectId,
  branch,
  node,
  text,
  autoFocus,
  onWrite,
  onSave,
  onLeave,
  onCancel,
}: EditMessageProps) {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const given = useMemo(() => filesOf(node.contentBlocks), [node.contentBlocks]);
  const files = useAttachments(`edit.${node.id}`, given);
  const providers = useQuery(providersQuery);
  const message = { text, files: files.blocks };
  const isReady = !isBlank(message) && !files.isBusy && !files.hasFailed;
  const save = async (): Promise<void> => {
    if (isReady && (await onSave(message))) files.replace(given);
  };
  const form = useRef<HTMLFormElement>(null);
  // A field is taller than the message that it replaces: what sends it would be below the edge. Only when it is opened,
  // and after the list has been laid out with it.
  useEffect(() => {
    if (!autoFocus) return undefined;
    // A browser puts the cursor before the first letter; people go on writing behind the last one.
    const end = field.current?.value.length ?? 0;
    field.current?.setSelectionRange(end, end);
    const frame = requestAnimationFrame(() => form.current?.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [autoFocus]);
  return (
    <form
      ref={form}
      className="user-edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FileChips
        attachments={files}
        project={projectId}
        held={new Set(given.map(({ file }) => file.hash))}
        onRemoved={() => field.current?.focus()}
      />
      <FilesFate
        files={files.blocks}
        providers={providers.data?.providers ?? []}
        provider={branch.provider}
        model={branch.model}
        otherwise={branch.filesOtherwise}
      />
      <textarea
        ref={field}
        className="input"
        dir="auto"
        aria-label={t('edit.title')}
        title={t('edit.hint')}
        rows={4}
        value={text}
        onChange={(event) => onWrite(event.target.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === 'Escape') onLeave();
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void save();
        }}
        autoFocus={autoFocus}
      />
      <div className="dialog-actions">
        <AttachButton onFiles={files.add} />
        <span className="spacer" />
        <button
          type="button"
          className="button"
          onClick={() => {
            files.replace(given);
            onCancel();
          }}
        >
          {t('dialog.cancel')}
        </button>
        <button type="submit" className="button primary" disabled={!isReady}>
          {t('edit.save')}
        </button>
      </div>
    </form>
  );
}
