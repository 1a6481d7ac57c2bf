/** The most replies that one request makes; the server refuses more. */
export const MOST_REPLIES = 8;
/** The most answers that one question to several models gets. */
export const MOST_ANSWERS = 16;
