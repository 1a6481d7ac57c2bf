/** What is asked for the user who wants the rest of an interrupted reply; pages mark it as not written by anybody. */
export const CONTINUE_MESSAGE = 'Please continue exactly where you stopped.';
