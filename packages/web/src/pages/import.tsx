import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { MessageKey, Translator } from '../i18n/later/index.ts';
import { useT } from '../i18n/later/index.ts';
import { useFileDrop } from '../parts/files/use-file-drop.ts';
import { UploadIcon } from '../parts/icons.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import type { ImportState } from '../session/import.ts';
import { cancelImport, forgetImport, startImport, useImport } from '../session/import.ts';
import { importLimitsQuery } from '../session/queries.ts';
import { formatBytes, formatNumber } from '../view/format.ts';
import { Report } from './import/report.tsx';
import './import/import.css';

/** Conversations of other programs, and bundles: one file at a time, with what became of it. */
export function Import() {
  const t = useT();
  const state = useImport();
  return (
    <Page title={t('import.title')}>
      <div className="page" tabIndex={0}>
        <div className="page-inner import">
          <p className="faint">{t('import.lead')}</p>
          <Step state={state} />
        </div>
      </div>
    </Page>
  );
}

function Step({ state }: { readonly state: ImportState }) {
  const t = useT();
  switch (state.kind) {
    case 'uploading':
    case 'reading':
      return <Running state={state} />;
    case 'done':
      return (
        <>
          <Report report={state.report} />
          <Again />
        </>
      );
    case 'failed':
      return <Failed state={state} />;
    case 'tooLarge': {
      const [size, limit] = [formatBytes(state.size, t.locale), formatBytes(state.limit, t.locale)];
      return (
        <>
          <Problem message={t('import.tooLarge', { size, limit })} />
          <Chooser />
        </>
      );
    }
    case 'cancelled': {
      const count = formatNumber(state.written, t.locale);
      return (
        <>
          <p className="notice" role="status">
            {state.written === 0 ? t('import.cancelled') : t('import.cancelled.some', { count })}
          </p>
          <Chooser />
        </>
      );
    }
    case 'idle':
      return <Chooser />;
  }
}

function Chooser() {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  const drop = useFileDrop((file) => void startImport(file));
  const limits = useQuery(importLimitsQuery).data;
  return (
    <div className="import-drop" {...drop}>
      <UploadIcon />
      <p>
        {t('import.drop')}{' '}
        {limits === undefined ? '' : t('import.limit', { size: formatBytes(limits.maxBytes, t.locale) })}
      </p>
      <button type="button" className="button primary" onClick={() => field.current?.click()}>
        {t('import.choose')}
      </button>
      <input
        ref={field}
        type="file"
        hidden
        accept=".zip,.json,.jsonl,.ndjson,.db,.sqlite,.sqlite3"
        aria-label={t('import.choose')}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file !== undefined) void startImport(file);
        }}
      />
    </div>
  );
}

function Running({ state }: { readonly state: Extract<ImportState, { readonly kind: 'uploading' | 'reading' }> }) {
  const t = useT();
  const { file } = state;
  const isUploading = state.kind === 'uploading';
  return (
    <div className="import-running">
      <p role="status">{progressText(t, state)}</p>
      {/* How many conversations a file holds is known only when it has been read: then only that it moves is shown. */}
      <progress
        aria-label={t('import.title')}
        {...(isUploading ? { value: state.sent, max: Math.max(1, file.size) } : {})}
      />
      <button type="button" className="button" onClick={cancelImport}>
        {t('import.cancel')}
      </button>
    </div>
  );
}

function progressText(t: Translator, state: Extract<ImportState, { readonly kind: 'uploading' | 'reading' }>): string {
  const { name, size } = state.file;
  if (state.kind === 'uploading')
    return t('import.uploading', { name, sent: formatBytes(state.sent, t.locale), size: formatBytes(size, t.locale) });
  const count = formatNumber(state.conversations, t.locale);
  return state.pass === null ? t('import.received', { name }) : t(`import.${state.pass}`, { name, count });
}

/** What to do about a file that could not be read, where there is something. */
const ADVICE: Readonly<Record<string, MessageKey>> = {
  unknown_source: 'import.unknown.todo',
  import_stopped: 'import.stopped.todo',
  malformed_archive: 'import.archive.todo',
};

function Failed({ state }: { readonly state: Extract<ImportState, { readonly kind: 'failed' }> }) {
  const t = useT();
  const { code, detail, file } = state;
  if (code === 'unreachable')
    return (
      <>
        <Problem message={t('import.unreachable')} />
        <Chooser />
      </>
    );
  const advice = ADVICE[code];
  return (
    <>
      <div className="notice danger import-failed" role="alert">
        <p>
          <strong>{t('import.failed')}</strong>
        </p>
        <p className="import-detail">{detail}</p>
        {advice === undefined ? null : <p>{t(advice)}</p>}
      </div>
      {code === 'import_stopped' ? (
        <div className="import-skip">
          <p className="faint">{t('import.skip.why')}</p>
          <button type="button" className="button" onClick={() => void startImport(file, 'skip')}>
            {t('import.skip')}
          </button>
        </div>
      ) : null}
      <Chooser />
    </>
  );
}

function Again() {
  const t = useT();
  return (
    <button type="button" className="button import-again" onClick={forgetImport}>
      {t('import.again')}
    </button>
  );
}
