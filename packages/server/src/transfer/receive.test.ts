import { canMount, mountSmallDisk } from '@bough/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { HttpProblem } from '../problem.ts';
import { receive } from './receive.ts';

it.runIf(canMount())(
  'SV-81: a disk that becomes full while a file arrives fails it, instead of cutting it',
  async () => {
    const disk = mountSmallDisk(1);
    onTestFinished(disk.dispose);
    const body = new Blob([new Uint8Array(3 * 1024 * 1024)]).stream();
    const upload = {
      length: undefined,
      name: undefined,
      maxBytes: 50_000_000,
      tooLarge: () => new HttpProblem(413, 'x', 'x'),
    };
    await expect(receive(disk.path, { ...upload, body })).rejects.toMatchObject({ code: 'ENOSPC' });
  },
);
