import { BoughError } from '@bough/core';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** A change that could not be stored, and was therefore not made. */
export class SettingsNotSavedError extends BoughError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    super(
      'settings_not_saved',
      `The settings could not be written (${reason}); nothing was changed. Make room in the data directory, or make it writable.`,
      { cause },
    );
  }
}

/** The whole new content or the old one, whatever happens, and readable by nobody else. */
export function replacePrivately(path: string, content: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, content, { mode: 0o600, flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export function writePrivately(path: string, content: string): void {
  try {
    replacePrivately(path, content);
  } catch (cause) {
    throw new SettingsNotSavedError(cause);
  }
}
