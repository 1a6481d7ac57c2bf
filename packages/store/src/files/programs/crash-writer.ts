import { runCrashWriter } from '../../contract/crash/writer.ts';
import { openFilesStore } from '../index.ts';

await runCrashWriter((directory) => openFilesStore({ directory }));
