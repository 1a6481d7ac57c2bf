import { BoughError } from '@bough/core';

/** A setting that cannot be used. Names the key, and says what it accepts. */
export class SettingError extends BoughError {
  readonly key: string;

  constructor(key: string, problem: string, options?: { cause?: unknown }) {
    super('invalid_setting', `${key}: ${problem}`, options);
    this.key = key;
  }
}
