import { useQuery } from '@tanstack/react-query';
import { useT } from '../../i18n/index.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { client } from '../../session/client.ts';
import { jsonText } from '../../view/json-text.ts';

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
      {raw.data === undefined ? null : <LongText tag="pre" className="raw" text={jsonText(raw.data)} />}
      <div className="dialog-actions">
        {raw.data === undefined ? null : <CopyButton label={t('reply.copy')} text={() => jsonText(raw.data)} />}
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.close')}
        </button>
      </div>
    </Dialog>
  );
}
