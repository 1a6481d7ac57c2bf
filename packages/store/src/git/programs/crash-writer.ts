import { runCrashWriter } from '../../contract/crash/writer.ts';
import { openGitStore } from '../index.ts';

await runCrashWriter((directory) => openGitStore({ directory }));
