export { keepBrought } from './brought.ts';
export { checkFiles } from './check.ts';
export { createFileKeeper, DEFAULT_FILE_BYTES } from './keeper.ts';
export { keep } from './keep.ts';
export { looksLikeRecord, MARK_LENGTH } from './record.ts';
export { serveBlob } from './serve.ts';
