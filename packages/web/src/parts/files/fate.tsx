import type { ProviderView } from '@bough/api/client';
import type { AttachedBlock, FileFate, FilesOtherwise } from '@bough/core';
import { fateOf } from '@bough/core';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/index.ts';
import { modelLabel } from '../../view/model-label.ts';

interface FilesFateProps {
  readonly files: readonly AttachedBlock[];
  readonly providers: readonly ProviderView[];
  readonly provider: string;
  readonly model: string;
  readonly otherwise: FilesOtherwise;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

const FATES: readonly FileFate[] = ['text', 'line', 'omit'];

/** Says before a message is sent which of its files the model does not take, and what it gets in their place. */
export function FilesFate({ files, providers, provider, model, otherwise, children }: FilesFateProps) {
  const t = useT();
  const takes = providers.find(({ id }) => id === provider)?.models.find(({ id }) => id === model)?.takesFiles;
  // A model that is in no list: only the server knows, and the report of the request says so.
  if (takes === undefined) return null;
  const told = FATES.flatMap((fate) => {
    const names = files.filter((file) => fateOf(file, takes, otherwise) === fate).map(({ name }) => name);
    return names.length === 0 ? [] : [{ fate, names: names.join(', ') }];
  });
  if (told.length === 0) return null;
  return (
    <div className="files-fate" role="status">
      {told.map(({ fate, names }) => (
        <p key={fate} dir="auto">
          {t(`files.fate.${fate}`, { model: modelLabel(providers, provider, model), names })}
        </p>
      ))}
      {children === undefined ? null : <div className="files-fate-actions">{children}</div>}
    </div>
  );
}
