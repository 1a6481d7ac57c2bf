import type { DatasetFormat } from './options.ts';

export const DATASET_MANIFEST = 'manifest.json';
export const DATASET_FORMAT = 'bough-dataset';
export const DATASET_VERSION = 1;
/** One line per record: the nodes that it was made of, and their hashes. */
export const RECORDS_FILE = 'records.jsonl';

export const dataFile = (format: DatasetFormat): string => `data.${format}`;

/** What the directory of a dataset holds, and nothing else. */
export const DATASET_NAMES: ReadonlySet<string> = new Set([
  DATASET_MANIFEST,
  RECORDS_FILE,
  dataFile('jsonl'),
  dataFile('parquet'),
  'files',
]);
