import { printAttempts } from '../../contract/crash/attempts.ts';
import { openGitStore } from '../index.ts';

await printAttempts(
  (directory) => openGitStore({ directory }),
  // Random, so that it cannot be compressed away.
  (size) => Array.from({ length: size }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join(''),
);
