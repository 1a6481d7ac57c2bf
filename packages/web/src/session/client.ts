import { createClient } from '@bough/api/client';
import { tell } from './refusal-words.ts';

/**
 * The only client of the page. A server with a token gives the browser a cookie for it (`pages/unlock.tsx`), so nothing
 * secret is kept here.
 */
export const client = createClient({ tell });
