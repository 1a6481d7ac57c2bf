export type { BundleReport } from './bundle/write.ts';
export { writeBundle } from './bundle/write.ts';
export type {
  DatasetFormat,
  DatasetOptions,
  DatasetReasoning,
  DatasetRequest,
  DatasetShape,
} from './dataset/options.ts';
export { DATASET_FORMATS, DATASET_REASONINGS, DATASET_SHAPES, datasetOptions } from './dataset/options.ts';
export type { DatasetCount, DatasetReport } from './dataset/write.ts';
export { countDataset, writeDataset } from './dataset/write.ts';
export type { DocumentGroup, DocumentInput, DocumentItem, Reasoning } from './document/content.ts';
export { instructionsIn, REASONINGS } from './document/content.ts';
export { citedPieces, sourcesIn } from './document/cited.ts';
export { htmlOf } from './document/html.ts';
export { markdownOf } from './document/markdown.ts';
export { picturesOf } from './document/pictures.ts';
export { pagesOf, sourceName, useTitle } from './document/provider-use.ts';
export type { FollowOptions } from './import/follow.ts';
export { followPath } from './import/follow.ts';
export type { ImportProblem } from './import/conversation.ts';
export type { FileKeeper, MissingFile } from './import/files/bring.ts';
export type { Existing, ImportOptions, ImportPass, ImportReport } from './import/index.ts';
export { importPath, ImportStoppedError, rehearseImport, UnknownSourceError } from './import/index.ts';
export { zipDirectory } from './zip/write.ts';
