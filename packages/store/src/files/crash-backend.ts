import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashBackend } from '../contract/crash/backend.ts';
import { openFilesStore } from './index.ts';

export const crashBackend: CrashBackend = {
  writer: new URL('./programs/crash-writer.ts', import.meta.url),
  place: async () => {
    const location = await mkdtemp(join(tmpdir(), 'bough-crash-'));
    return { location, dispose: () => rm(location, { recursive: true }) };
  },
  open: (directory) => openFilesStore({ directory }),
};
