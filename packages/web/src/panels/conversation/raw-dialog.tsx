import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { client } from '../../session/client.ts';

/** The provider's own bytes. */
export function RawDialog({
  projectId,
  nodeId,
  onClose,
}: {
  readonly projectId: string;
  readonly nodeId: string;
  readonly onClose: () => void;
}) {
  const t = useT();
  const raw = useQuery({
    queryKey: ['raw', nodeId],
    queryFn: () => client.raw(projectId, nodeId),
    staleTime: Infinity,
    retry: false,
  });
  return (
    <Dialog open onClose={onClose} title={t('reply.raw')} wide>
      {raw.isError ? <p className="notice">{raw.error.message}</p> : null}
      {raw.data === undefined ? null : (
        <pre className="raw" tabIndex={0}>
          {JSON.stringify(raw.data, null, 2)}
        </pre>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.close')}
        </button>
      </div>
    </Dialog>
  );
}
