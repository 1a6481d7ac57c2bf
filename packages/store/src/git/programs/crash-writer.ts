import { runCrashWriter } from '../../contract/crash/writer.ts';
import { EAGER_PACKING } from '../crash-backend.ts';
import { openGitStore } from '../index.ts';

await runCrashWriter((directory) => openGitStore({ directory, packing: EAGER_PACKING }));
