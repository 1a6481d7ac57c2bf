import { BoughError } from '@bough/core';

/** A secret by its name, for the server that is to be shown it; a sentence that says why there is none. */
export type SecretOf = (name: string, url: string) => { readonly secret: string } | { readonly problem: string };

/** Short enough that nobody takes a token for a name. */
export const isSecretName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,39}$/.test(name);

// What is taken for a name may be a token that somebody pasted: no sentence repeats it.
export const noSecrets: SecretOf = () => ({ problem: 'No secrets are configured here.' });

/** A request that names a secret which it must not be sent with, or without. */
export class MissingSecretError extends BoughError {
  constructor(problem: string) {
    super('secret_missing', `${problem} The request was not sent.`);
  }
}
