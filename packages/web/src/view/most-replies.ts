/** The most replies that one request makes; the server refuses more. */
export const MOST_REPLIES = 8;
