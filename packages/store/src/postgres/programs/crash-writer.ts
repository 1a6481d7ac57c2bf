import { runCrashWriter } from '../../contract/crash/writer.ts';
import { openPostgresStore } from '../index.ts';

await runCrashWriter((dataDir) => openPostgresStore({ dataDir }));
