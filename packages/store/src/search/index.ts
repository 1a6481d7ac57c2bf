export type { SearchHit, SearchMatch, SearchPage, SearchRequest } from './page.ts';
export { SEARCH_LIMITS } from './run.ts';
