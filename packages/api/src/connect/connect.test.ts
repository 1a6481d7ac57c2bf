import { expect, it } from 'vitest';
import { CONNECTABLE } from './index.ts';

const GATEWAY = 'http://127.0.0.1:4870/gateway';

it.each(Object.values(CONNECTABLE))(
  'AP-14: $label: the lines name this gateway; a token is named by its variable',
  (client) => {
    const open = client.lines(GATEWAY, false).join('\n');
    const guarded = client.lines(GATEWAY, true).join('\n');
    for (const lines of [open, guarded]) expect(lines).toContain(`${GATEWAY}/`);
    expect(open).not.toContain('BOUGH_TOKEN');
    expect(guarded).toContain('BOUGH_TOKEN');
  },
);
