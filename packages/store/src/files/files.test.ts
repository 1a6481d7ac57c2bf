import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCrashContract } from '../contract/crash/suite.ts';
import { describeStoreContract } from '../contract/suite.ts';
import { crashBackend } from './crash-backend.ts';
import { openFilesStore } from './index.ts';

const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'bough-files-'));

describeStoreContract('files', {
  open: async () => {
    const directory = await temporaryDirectory();
    let store = await openFilesStore({ directory });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openFilesStore({ directory });
        return store;
      },
      dispose: async () => {
        await store.close();
        await rm(directory, { recursive: true });
      },
    };
  },
});

describeCrashContract('files', crashBackend);
