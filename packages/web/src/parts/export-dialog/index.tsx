import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { projectQuery } from '../../session/queries.ts';
import { datasetParameters, datasetQuery, WHOLE_DATASET } from '../../view/dataset-form.ts';
import { Dialog } from '../dialog.tsx';
import { DownloadIcon } from '../icons.tsx';
import { DatasetFields } from './dataset.tsx';
import './export-dialog.css';

const FORMATS = ['bundle', 'markdown', 'html', 'dataset'] as const;
const REASONINGS = ['folded', 'included', 'none'] as const;

interface ExportDialogProps {
  readonly projectId: string;
  /** The branch that a document is made of, unless another one is chosen; null for the project as a whole. */
  readonly branch: string | null;
  readonly onClose: () => void;
}

/** A project as one file, or one of its branches as a document. The browser downloads it by itself. */
export function ExportDialog({ projectId, branch, onClose }: ExportDialogProps) {
  const t = useT();
  const branches = useQuery(projectQuery(projectId)).data?.branches ?? [];
  const [format, setFormat] = useState<(typeof FORMATS)[number]>(branch === null ? 'bundle' : 'markdown');
  const [chosen, setChosen] = useState(branch);
  const [reasoning, setReasoning] = useState<(typeof REASONINGS)[number]>('folded');
  const ref = chosen ?? branches.find(({ name }) => name === 'main')?.name ?? branches[0]?.name ?? 'main';
  const [dataset, setDataset] = useState(WHOLE_DATASET);
  const isDocument = format === 'markdown' || format === 'html';
  const query =
    format === 'dataset'
      ? datasetParameters(datasetQuery(projectId, dataset))
      : new URLSearchParams({ format, ...(isDocument ? { ref, reasoning } : {}) });
  const path = format === 'dataset' ? '/api/dataset' : `/api/projects/${encodeURIComponent(projectId)}/export`;
  return (
    <Dialog open onClose={onClose} title={t('export.title')}>
      <fieldset className="field choices export-formats">
        <legend>{t('export.format')}</legend>
        {FORMATS.map((each) => (
          <label key={each}>
            <input type="radio" name="format" checked={format === each} onChange={() => setFormat(each)} />
            <span>
              {t(`export.${each}`)}
              <small>{t(`export.${each}.why`)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {format === 'dataset' ? (
        <DatasetFields
          projectId={projectId}
          form={dataset}
          models={[...new Set(branches.map(({ model }) => model))]}
          onChange={setDataset}
        />
      ) : null}
      {isDocument ? (
        <>
          <label className="field">
            <span>{t('export.branch')}</span>
            <select className="input" value={ref} onChange={(event) => setChosen(event.target.value)}>
              {branches.map(({ id, name }) => (
                <option key={id} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <fieldset className="field choices">
            <legend>{t('export.reasoning')}</legend>
            <div className="segmented">
              {REASONINGS.map((each) => (
                <label key={each}>
                  <input
                    type="radio"
                    name="reasoning"
                    checked={reasoning === each}
                    onChange={() => setReasoning(each)}
                  />
                  <span>{t(`export.reasoning.${each}`)}</span>
                </label>
              ))}
            </div>
          </fieldset>
        </>
      ) : null}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onClose}>
          {t('dialog.cancel')}
        </button>
        <a
          className="button primary"
          href={`${path}?${query.toString()}`}
          download
          // Afterwards: the browser reads the address first.
          onClick={() => setTimeout(onClose)}
        >
          <DownloadIcon />
          {t('export.download')}
        </a>
      </div>
    </Dialog>
  );
}
