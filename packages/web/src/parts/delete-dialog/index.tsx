import type { DeletionView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/later/index.ts';
import { deletionTitle, messageCount } from '../../view/deletion.ts';
import { errorText } from '../../view/error-text.ts';
import { Dialog } from '../dialog.tsx';
import { Loading } from '../loading.tsx';
import { Problem } from '../problem.tsx';
import './delete-dialog.css';

interface DeleteDialogProps {
  readonly title: string;
  /** The node that would go. */
  readonly nodeId: string;
  /** Asks the server what would go. */
  readonly look: () => Promise<DeletionView>;
  /** The branch that the reader is on: it is named first. */
  readonly here: string;
  readonly onConfirm: (deletion: DeletionView) => void;
  readonly onClose: () => void;
}

/** Says how many messages go, and from which branches, before any do. */
export function DeleteDialog({ title, nodeId, look, here, onConfirm, onClose }: DeleteDialogProps) {
  const t = useT();
  // Asked again each time: another reader may have written meanwhile.
  const asked = useQuery({ queryKey: ['deletion', nodeId], queryFn: look, gcTime: 0, staleTime: 0, retry: false });
  const deletion = asked.isFetching ? undefined : asked.data;
  return (
    <Dialog open onClose={onClose} title={title} description={t('delete.kept')}>
      {asked.isError ? <Problem message={errorText(asked.error)} /> : null}
      {asked.isFetching ? <Loading failures={asked.failureCount} /> : null}
      {deletion === undefined ? null : <Losses deletion={deletion} here={here} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        {deletion === undefined ? null : (
          <button
            type="button"
            className="button danger"
            onClick={() => {
              onClose();
              onConfirm(deletion);
            }}
          >
            {deletionTitle(deletion, t)}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Losses({ deletion, here }: { readonly deletion: DeletionView; readonly here: string }) {
  const t = useT();
  const { branches } = deletion;
  if (branches.length === 0) return <p>{t('delete.noBranch')}</p>;
  const hereFirst = branches.toSorted((a, b) => Number(b.name === here) - Number(a.name === here));
  return (
    <>
      <p>{t(branches.length === 1 ? 'delete.branch' : 'delete.branches')}</p>
      <ul className="losses">
        {hereFirst.map(({ id, name, messages }) => (
          <li key={id}>
            <span className="losses-name">{name}</span>
            <span className="faint">{messageCount(messages, t)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
