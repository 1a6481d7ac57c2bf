import { createClient } from '@bough/api/client';

/** The only client of the page. A server with a token gives it to the browser as a cookie, so nothing secret is kept here. */
export const client = createClient();
