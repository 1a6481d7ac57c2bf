import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCrashContract } from '../contract/crash/suite.ts';
import { describeStoreContract } from '../contract/suite.ts';
import { crashBackend } from './crash-backend.ts';
import { openGitStore } from './index.ts';

const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'bough-git-'));

describeStoreContract('git', {
  open: async () => {
    const directory = await temporaryDirectory();
    let store = await openGitStore({ directory });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openGitStore({ directory });
        return store;
      },
      dispose: async () => {
        await store.close();
        await rm(directory, { recursive: true });
      },
    };
  },
});

describeCrashContract('git', crashBackend);
