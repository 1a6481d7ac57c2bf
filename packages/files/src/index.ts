export { FitError } from './errors.ts';
export type { FitErrorCode } from './errors.ts';
export { fit } from './fit.ts';
export type { FitInput } from './fit.ts';
export type { FitNote, Fitted, FittedFile, FittedText } from './fitted.ts';
export { FIT_LIMITS } from './limits.ts';
export { fitName } from './name.ts';
export { headOfFile, safeTypeOf } from './recognise/index.ts';
