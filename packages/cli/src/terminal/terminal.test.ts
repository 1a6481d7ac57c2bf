import { foreignConversations } from '@bough/testkit';
import type { ImportReport } from '@bough/transfer';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place, Ran } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';
import { jsonLine } from './index.ts';

const { claude } = foreignConversations;

/** Clears the screen, renames the window and sets colours, in both forms that terminals obey, and a bell. */
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u009b35mEVIL\u001b[35m\u0008\r\u007f';

let place: Place;
let project = '';
beforeAll(async () => {
  place = await makePlace();
  const messages = claude.chat_messages.map((message) => ({
    ...message,
    text: EVIL,
    content: [{ type: 'text', text: EVIL }],
  }));
  await writeFile(
    join(place.dir, 'conversations.json'),
    JSON.stringify([{ ...claude, name: EVIL, chat_messages: messages }, { [EVIL]: EVIL }]),
  );
  const imported = await place.bough(['import', 'conversations.json', '--on-error', 'skip', '--json']);
  project = (imported.json() as ImportReport).projects[0]?.id ?? '';
  expect((await place.bough(['branch', `fork ${EVIL}`, '--project', project])).code).toBe(0);
});
afterAll(() => place.dispose());

/** What is left after removing Bough's own colours and progress. */
const foreign = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/\u001b\[(?:1|2|22|31|32|33|39)m|\u001b\[[GK]/g, '');
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

function expectHarmless({ out, err }: Ran): void {
  expect(foreign(out)).not.toMatch(CONTROL);
  expect(foreign(err)).not.toMatch(CONTROL);
}

describe('what strangers wrote', () => {
  const commands: readonly (readonly string[])[] = [
    ['ls'],
    ['ls', '%'],
    ['show', '-p', '%'],
    ['show', '-p', '%', '--thinking', 'full'],
    ['log', '-p', '%'],
    ['graph', '-p', '%'],
    ['context', 'main', '-p', '%'],
    ['context', 'main', '-p', '%', '--curl'],
    ['context', 'main', '-p', '%', '--diff', '-m', EVIL],
    ['chat', '-p', '%', '-m', `/sim say ${EVIL}`],
    ['branch', `more ${EVIL}`, '-p', '%'],
    ['branch', `more ${EVIL}`, '-p', '%', '--delete'],
    ['export', '%', '--format', 'markdown'],
    ['export', '%', '--format', 'html'],
    ['export', '%', '--format', 'request'],
    ['export', '%', '--out', 'bundle'],
    ['import', 'conversations.json', '--on-error', 'skip'],
    ['import', 'conversations.json', '--dry-run', '--on-error', 'skip'],
    ['import', 'conversations.json'],
    ['import', `nowhere ${EVIL}`],
    ['import', 'loom', '--on-error', 'skip'],
    ['verify'],
    ['move', '%', '--to', 'git'],
    ['show', EVIL, '-p', '%'],
    ['ls', EVIL],
    [EVIL],
  ];

  it.each(commands.map((words) => [words.join(' ').replace(EVIL, 'EVIL'), words] as const))(
    'CLI-16: is shown by %s and not obeyed',
    async (_, words) => {
      await mkdir(join(place.dir, 'loom', EVIL, 'nodes'), { recursive: true });
      await writeFile(join(place.dir, 'loom', EVIL, 'nodes', `${EVIL}.json`), '{');
      await writeFile(join(place.dir, 'loom', 'roots.json'), JSON.stringify([{ id: EVIL }]));
      const named = words.map((word) => (word === '%' ? project : word));
      for (const isInteractive of [true, false]) {
        const ran = await place.bough(named, { isInteractive });
        // What a pipe gets from these is for a program, to the byte.
        if (isInteractive || !(named[0] === 'export' || named.includes('--curl'))) expectHarmless(ran);
        expectHarmless(await place.bough([...named, '--json'], { isInteractive }));
      }
    },
  );

  it('CLI-16: reaches the prompt of a chat, its lists and its errors without effect', async () => {
    const input = '/branches\n/switch nowhere\n/branch\n/thinking x\n';
    const talked = await place.bough(['chat', '-p', project, '-b', `fork ${EVIL}`], { input, isInteractive: true });
    expect(talked.out).toContain('EVIL');
    expectHarmless(talked);
  });

  it('CLI-16: a document in a pipe and JSON keep every character', async () => {
    const piped = await place.bough(['export', project, '--format', 'request']);
    expect(JSON.stringify(JSON.parse(piped.out))).toContain(JSON.stringify(EVIL).slice(1, -1));
    expect(JSON.parse(jsonLine({ [EVIL]: EVIL }))).toEqual({ [EVIL]: EVIL });
    expect(JSON.stringify((await place.bough(['show', '-p', project, '--json'])).json())).toContain('\u009b35mEVIL');
  });
});
