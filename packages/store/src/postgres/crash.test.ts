import { describeCrashContract } from '../contract/crash/suite.ts';
import { crashBackend } from './crash-backend.ts';

describeCrashContract('postgres', crashBackend);
