import { printAttempts } from '../../contract/crash/attempts.ts';
import { openFilesStore } from '../index.ts';

await printAttempts(
  (directory) => openFilesStore({ directory }),
  (size) => 'x'.repeat(size),
);
