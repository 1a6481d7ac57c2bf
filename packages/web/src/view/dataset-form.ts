import type { DatasetInput } from '@bough/api/client';

export const SHAPES = ['messages', 'prompt-completion', 'sharegpt', 'preference'] as const;
export const FORMATS = ['jsonl', 'parquet'] as const;
const REASONINGS = ['none', 'field', 'think'] as const;
const VERDICTS = ['better', 'good', 'tied', 'worse', 'bad'] as const;

/** What is chosen, as it stands in the fields. */
export interface DatasetForm {
  readonly ofAll: boolean;
  readonly shape: (typeof SHAPES)[number];
  readonly format: (typeof FORMATS)[number];
  readonly reasoning: (typeof REASONINGS)[number];
  readonly tools: boolean;
  readonly files: boolean;
  readonly notes: boolean;
  readonly starred: boolean;
  readonly blind: boolean;
  readonly verdicts: readonly string[];
  readonly models: string;
  readonly since: string;
  readonly until: string;
}

export const WHOLE_DATASET: DatasetForm = {
  ofAll: false,
  shape: 'messages',
  format: 'jsonl',
  reasoning: 'none',
  tools: true,
  files: false,
  notes: false,
  starred: false,
  blind: false,
  verdicts: [],
  models: '',
  since: '',
  until: '',
};

/** A preference comes from what was better; what a shape has no place for is not asked for. */
export const verdictsOf = (shape: DatasetForm['shape']): readonly (typeof VERDICTS)[number][] =>
  shape === 'preference' ? ['better', 'good'] : VERDICTS;
export const reasoningsOf = (shape: DatasetForm['shape']): readonly (typeof REASONINGS)[number][] =>
  shape === 'sharegpt' ? ['none', 'think'] : REASONINGS;

export function datasetQuery(projectId: string, form: DatasetForm): DatasetInput {
  const { ofAll, shape, format, reasoning, tools, files, notes, starred, blind, models, since, until } = form;
  const verdicts = verdictsOf(shape).filter((each) => form.verdicts.includes(each));
  return {
    ...(ofAll ? {} : { project: projectId }),
    shape,
    format,
    reasoning: reasoningsOf(shape).includes(reasoning) ? reasoning : 'none',
    ...(tools ? {} : { tools: 'false' }),
    ...(files ? { files: 'true' } : {}),
    ...(notes ? { notes: 'true' } : {}),
    ...(starred ? { starred: 'true' } : {}),
    ...(blind ? { blind: 'true' } : {}),
    ...(verdicts.length === 0 ? {} : { verdict: verdicts.join(',') }),
    ...(models.trim() === '' ? {} : { model: models.trim() }),
    ...(since === '' ? {} : { since }),
    ...(until === '' ? {} : { until }),
  };
}

/** The same in the address of the download. */
export function datasetParameters(query: DatasetInput): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return parameters;
}
