export type { BundleReport } from './bundle/write.ts';
export { writeBundle } from './bundle/write.ts';
export type { DocumentGroup, DocumentInput, DocumentItem, Reasoning } from './document/content.ts';
export { instructionsIn, REASONINGS } from './document/content.ts';
export { htmlOf } from './document/html.ts';
export { markdownOf } from './document/markdown.ts';
export type { ImportProblem } from './import/conversation.ts';
export type { ImportOptions, ImportReport } from './import/index.ts';
export { importPath, ImportStoppedError, rehearseImport, UnknownSourceError } from './import/index.ts';
