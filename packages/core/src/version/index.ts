/** The version of Bough; `npm run set-version` writes it here and into every package. */
export const VERSION = '0.1.0';
