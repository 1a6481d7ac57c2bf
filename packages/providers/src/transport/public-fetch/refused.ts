/** The system code of a refused connection, so that it is reported like any other. */
export const PRIVATE_ADDRESS = 'BOUGH_PRIVATE_ADDRESS';
