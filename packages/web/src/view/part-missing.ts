import { errorText } from './error-text.ts';

/** Whether a part of the page could not be loaded, in the words of the browsers and of the page's own loader. */
export const isPartMissing = (error: unknown): boolean =>
  /dynamically imported module|importing a module script failed|unable to preload css/i.test(errorText(error));
