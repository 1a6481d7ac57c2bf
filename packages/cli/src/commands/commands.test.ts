import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../run.ts';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
let server: Awaited<ReturnType<Place['serve']>>;
beforeAll(async () => {
  place = await makePlace();
  server = await place.serve();
});
afterAll(async () => {
  await server.stop();
  await place.dispose();
});

describe('the command line itself', () => {
  it('CLI-1: every command has help with examples, and help is no failure', async () => {
    for (const { name, examples, options } of COMMANDS) {
      const { code, out } = await place.bough([name, '--help']);
      expect(code).toBe(0);
      for (const example of examples) expect(out).toContain(example);
      for (const option of Object.keys(options)) expect(out).toContain(`--${option}`);
    }
  });

  it.each([
    [['frobnicate'], 'no command "frobnicate"'],
    [['log', '--frob'], 'Unknown option'],
    [['context'], '<branch> is missing'],
    [['show', 'a', 'b'], 'one word too many'],
    [['chat', 'Why?'], 'Did you mean --message "Why?"?'],
    [['show', '--thinking', 'loud'], '--thinking takes full, folded, none'],
  ])('CLI-2: %j is a usage error with exit code 2', async (words, sentence) => {
    const { code, err, out } = await place.bough(words);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(out).toBe('');
  });

  it('CLI-2: a failure has exit code 1, and is JSON where JSON is wanted', async () => {
    const failed = await place.bough(['show', '--project', 'nobody', '--json']);
    expect(failed.code).toBe(1);
    expect(failed.json()).toMatchObject({ error: { code: 'unknown_id' } });
  });

  it.each(['bash', 'zsh', 'fish'])('CLI-5: the completion for %s knows every command', async (shell) => {
    const { code, out } = await place.bough(['completion', shell]);
    expect(code).toBe(0);
    for (const { name } of COMMANDS) expect(out).toContain(name);
  });
});

describe('models that nobody knows', () => {
  it('CLI-29: what is not known is told on standard error, once, where the branch is made', async () => {
    const model = 'claude-opus-6-20270101';
    const first = await place.bough(['chat', '-m', 'Hi', '--name', 'Unlisted', '--model', model, '--json']);
    expect(first.code).toBe(0);
    expect(first.err).toContain(
      `Bough does not list ${model}, but Simulated does. Assumed from its family (Claude 6): `,
    );
    const fork = await place.bough(['branch', 'second', '--project', 'Unlisted', '--json']);
    expect([fork.code, fork.err]).toEqual([0, '']);
    const other = ['branch', 'third', '--project', 'Unlisted', '--provider', 'simulated_responses', '--model'];
    const known = await place.bough([...other, 'sim-summary']);
    expect([known.code, known.err]).toEqual([0, '']);
  });

  it('CLI-29: a model that does not exist is refused with the names that were perhaps meant', async () => {
    const { code, err } = await place.bough(['chat', '-m', 'Hi', '--provider', 'simulated', '--model', 'sim-thnker']);
    expect(code).toBe(1);
    expect(err).toContain('Simulated has no model "sim-thnker". Did you mean "sim-thinker"');
    const nobody = await place.bough(['chat', '-m', 'Hi', '--provider', 'nobody']);
    expect(nobody.err).toContain('There is no provider "nobody".');
  });
});

describe('a conversation', () => {
  let project: string;
  beforeAll(async () => {
    const { code, out } = await place.bough(['chat', '-m', 'Why is the sky blue?', '--name', 'Sky', '--json']);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toContain('thinking');
    project = ((await place.bough(['ls', '--json'])).json() as { id: string }[])[0]?.id ?? '';
  });

  it('CLI-6: the running server is found by its file in the data directory', async () => {
    const file = JSON.parse(await readFile(join(place.dir, 'data', 'server.json'), 'utf8'));
    expect(file).toEqual({ url: server.url, pid: process.pid, store: 'files' });
    // The file store admits only one process: without the server this would fail.
    expect((await place.bough(['ls'])).out).toContain('Sky');
    expect((await place.bough(['ls', '--server', server.url])).out).toContain('Sky');
  });

  it('CLI-3: nothing is coloured where nobody looks, and what a model says never moves the cursor', async () => {
    const escape = '\u001b[31mred';
    const piped = await place.bough(['chat', '--project', project, '-m', `/sim say ${escape}`]);
    expect(piped.out).not.toContain('\u001b');
    const seen = await place.bough(['show', '--project', project], { isInteractive: true });
    expect(seen.out).toContain('\u001b[1mYou');
    expect(seen.out).not.toContain('\u001b[31m');
  });

  it.each([['ls'], ['show'], ['log'], ['graph'], ['context', 'main']])('CLI-4: %s speaks JSON', async (...words) => {
    const where = words[0] === 'ls' ? [] : ['--project', project];
    const { code, json } = await place.bough([...words, ...where, '--json']);
    expect(code).toBe(0);
    expect(json()).toBeTypeOf('object');
  });

  it('CLI-7: a name that fits nothing or two things is an error, never a guess', async () => {
    expect((await place.bough(['show', 'no-such-branch', '--project', project])).code).toBe(1);
    await place.bough(['chat', '-m', 'Hello', '--name', 'Sky']);
    const twice = await place.bough(['show', '--project', 'Sky']);
    expect(twice.code).toBe(2);
    expect(twice.err).toContain('More than one project fits');
  });

  it('CLI-8: branch, edit, regenerate and graph grow and show the tree', async () => {
    const nodes = (await place.bough(['log', '--project', project, '--json'])).json() as { id: string; role: string }[];
    const first = nodes.findLast(({ role }) => role === 'user')?.id ?? '';
    expect((await place.bough(['branch', 'fork', '--project', project])).code).toBe(0);
    const edited = await place.bough([
      'edit',
      first.slice(0, 8),
      'Why',
      'red?',
      '--branch',
      'red',
      '--project',
      project,
    ]);
    expect(edited.code).toBe(0);
    expect(edited.out).toContain('Why red?');
    expect((await place.bough(['regenerate', '--project', project])).code).toBe(0);
    const { out } = await place.bough(['graph', '--project', project]);
    expect((await place.bough(['graph', project])).out).toBe(out);
    expect(out).toContain('<- red');
    expect(out).toContain('├─ U');
    const branches = (await place.bough(['ls', project, '--json'])).json() as { name: string }[];
    expect(branches.map(({ name }) => name)).toEqual(expect.arrayContaining(['main', 'fork', 'red']));
    expect((await place.bough(['branch', 'fork', '--delete', '--project', project])).code).toBe(0);
  });

  it('CLI-9: reasoning is folded, shown or left out', async () => {
    const show = async (...words: string[]) => place.bough(['show', '--project', project, ...words]);
    const { groups } = (await show('--json')).json() as {
      groups: { segments: { items: { type: string; text: string }[] }[] }[];
    };
    const thought = groups[0]?.segments.flatMap(({ items }) => items).find(({ type }) => type === 'think')?.text ?? '';
    expect(thought).not.toBe('');
    expect((await show('--thinking', 'folded')).out).toContain(`(thought: ${thought.length} characters)`);
    expect((await show('--thinking', 'full')).out).toContain(thought);
    const without = (await show('--thinking', 'none')).out;
    expect(without).not.toContain(thought);
    expect(without).not.toContain('(thought:');
  });

  it('CLI-40: branch --replay-by decides how what was said before a model break is sent', async () => {
    const ask = (...words: string[]) => place.bough(['branch', ...words, '--project', project, '--json']);
    const made = await ask('told', '--replay-by', 'break');
    expect(made.json()).toMatchObject({ name: 'told', replayBy: 'break' });
    expect((await ask('as-made')).json()).toMatchObject({ replayBy: 'issuer' });
    const wrong = await ask('typo', '--replay-by', 'brake');
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.out).toContain('issuer or break');
    const branches = (await place.bough(['ls', project, '--json'])).json() as { name: string }[];
    expect(branches.map(({ name }) => name)).not.toContain('typo');
    for (const name of ['told', 'as-made']) await place.bough(['branch', name, '--delete', '--project', project]);
  });

  it('CLI-27: --max-tokens limits the reply of a message, a branch and a preview; --fail-early refuses what cannot be', async () => {
    const report = await place.bough(['context', 'main', '--project', project, '--max-tokens', '321']);
    expect(report.out).toContain('up to 321 for the reply');
    const made = await place.bough(['branch', 'short', '--project', project, '--max-tokens', '321', '--json']);
    expect(made.json()).toMatchObject({ maxTokens: 321, failEarly: false });
    const impossible = ['--max-tokens', '99999999', '--fail-early', '--json'];
    const refused = await place.bough(['chat', '--project', project, '-b', 'short', '-m', 'hi', ...impossible]);
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({ error: { code: 'max_tokens_too_high' } });
    const lowered = await place.bough([
      'chat',
      '--project',
      project,
      '-b',
      'short',
      '-m',
      'hi',
      ...impossible.slice(0, 2),
    ]);
    expect(lowered.code).toBe(0);
    await place.bough(['branch', 'short', '--project', project, '--delete']);
  });

  it('CLI-175: a summary takes the place of messages on a new branch, after its price was told, and is taken back', async () => {
    const compact = (branch: string, ...words: readonly string[]) =>
      place.bough(['compact', branch, '--project', project, ...words]);
    const planned = await compact('main', '--dry-run');
    expect(planned.out).toMatch(/^Nothing was changed\. A summary would stand for \d+ messages in \d+ turns: /);
    const made = await compact('main', '--name', 'short story');
    expect(made.out).toMatch(/^On the new branch "short story" a summary stands for \d+ messages/);
    expect((await place.bough(['context', 'short story', '--project', project])).out).toContain('compacted');
    expect((await compact('short story', '--undo', '--dry-run')).code).toBe(2);
    // Of two summaries, the newest is taken back; the one before it counts again.
    await place.bough(['chat', '--project', project, '-b', 'short story', '-m', '/sim say more']);
    const again = await compact('short story', '--name', 'shorter story');
    expect(again.out).toMatch(/^On the new branch "shorter story"/);
    expect((await compact('shorter story', '--undo')).out).toMatch(
      /^The newest summary was taken back\. The one before it stands for \d+ messages again\.\n$/,
    );
    expect((await compact('shorter story', '--undo')).out).toMatch(/^The \d+ messages that were summarised/);
    await place.bough(['branch', 'shorter story', '--project', project, '--delete']);
    expect((await compact('short story', '--undo')).out).toMatch(
      /^The \d+ messages that were summarised are sent again/,
    );
    expect((await compact('short story', '--undo')).out).toBe('Nothing on this branch is summarised.\n');
    expect((await compact('main', '--up-to', 'nobody')).code).toBe(1);
    // What happens as the window fills up is said here, too, and makes no summary.
    const full = await compact('main', '--when-full', 'on', '--share', '60');
    expect([full.code, full.out]).toEqual([
      0,
      'From 60 % of the window on, the beginning is summarised before the next reply.\n',
    ]);
    const off = await compact('main', '--when-full', 'off', '--json');
    expect(off.json()).toEqual({ compacting: { mode: 'off', share: 0.8 } });
    expect((await compact('main', '--when-full', 'off')).out).toMatch(/^The oldest messages are left out/);
    expect((await compact('main', '--when-full', 'ask')).out).toBe(
      'From 80 % of the window on, a summary is suggested.\n',
    );
    for (const wrong of [
      ['--share', '60'],
      ['--when-full', 'on', '--share', '101'],
      ['--when-full', 'on', '--dry-run'],
    ])
      expect([wrong, (await compact('main', ...wrong)).code]).toEqual([wrong, 2]);
    await place.bough(['branch', 'short story', '--project', project, '--delete']);
  });

  it('CLI-135: messages are left out, pinned and put back; what that spares and costs is told before', async () => {
    const choose = (...words: readonly string[]) => place.bough(['choose', 'main', '--project', project, ...words]);
    const context = await place.bough(['context', 'main', '--project', project, '--json']);
    const first = /"nodeId": "([^"]+)"/.exec(context.out)?.[1] ?? '';
    const planned = await choose('--leave-out', first.slice(0, 8), '--dry-run');
    expect(planned.out).toMatch(/^Nothing was changed: about \d+ tokens fewer in the next request\.\n/);
    expect((await choose('--leave-out', first, '--dry-run', '--json')).json()).toMatchObject({ choices: null });
    expect((await choose('--leave-out', first, '--json')).json()).toMatchObject({ choices: { [first]: 'leave_out' } });
    const report = await place.bough(['context', 'main', '--project', project]);
    expect(report.out).toContain('left_out');
    expect((await choose('--undo', first, '--json')).json()).toMatchObject({ choices: null });
    expect((await choose()).code).toBe(2);
    expect((await choose('--pin', first, '--leave-out', first.slice(0, 8))).err).toContain('is named twice');
    expect((await choose('--pin', 'nobody')).code).toBe(1);
  });

  it('CLI-10: the context is the request as it would be sent; as curl it names a variable and holds no key', async () => {
    const report = await place.bough(['context', 'main', '--project', project]);
    expect(report.out).toContain('verbatim');
    const curl = await place.bough([
      'context',
      'main',
      '--project',
      project,
      '--provider',
      'anthropic',
      '--curl',
      '-m',
      "It's",
    ]);
    expect(curl.out).toContain('-H "x-api-key: $ANTHROPIC_API_KEY"');
    expect(curl.out).toContain(String.raw`It'\''s`);
    const diff = await place.bough(['context', 'main', '--project', project, '--diff']);
    // What is asked of the cache is another one each time, and stands behind the messages; nothing else is replaced.
    const removed = diff.out.split('\n').filter((line) => line.startsWith('- '));
    expect(removed.filter((line) => !/^- +(\]|"previous_message_id": ".*")$/.test(line))).toEqual([]);
    expect(diff.out).toMatch(/^\+ /m);
  });

  it('CLI-11: raw is the provider’s own bytes', async () => {
    const nodes = (await place.bough(['log', '--project', project, '--json'])).json() as { id: string; role: string }[];
    const reply = nodes.find(({ role }) => role === 'assistant')?.id ?? '';
    const raw = (await place.bough(['raw', reply, '--project', project])).json();
    expect(raw).toMatchObject({ api: 'anthropic-messages', complete: true, payload: expect.any(Array) });
    const user = nodes.find(({ role }) => role === 'user')?.id ?? '';
    expect((await place.bough(['raw', user, '--project', project])).code).toBe(1);
  });

  it('CLI-12: chat branches, switches and lists in the terminal; messages of a pipe are sent in order', async () => {
    const lines = [
      'First',
      '/branch aside',
      'Second',
      '/branches',
      '/switch main',
      'Third',
      '/switch nowhere',
      '/quit',
      'Never',
    ];
    const { code, out, err } = await place.bough(['chat', '--name', 'Piped'], { input: `${lines.join('\n')}\n` });
    expect(code).toBe(0);
    expect(err).toContain('Now on aside.');
    expect(out).toMatch(/\* {2}aside/);
    expect(err).toContain('There is no branch');
    const said = async (branch: string): Promise<string[]> =>
      (
        (await place.bough(['log', branch, '--project', 'Piped', '--json'])).json() as {
          role: string;
          content: string;
        }[]
      )
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content);
    expect(await said('main')).toEqual(['Third', 'First']);
    expect(await said('aside')).toEqual(['Second', 'First']);
  });
});

describe('without a server', () => {
  it('CLI-15: verify finds nothing in replies that were stored under other caps of thinking than today’s', async () => {
    const alone = await makePlace();
    try {
      for (const [bytes, name] of [
        [1_000_000, 'Wide'],
        [100_000, 'Cut late'],
        [1_024, 'Cut early'],
      ] as const) {
        await alone.configure({ limits: { thinkingCapBytes: bytes } });
        expect((await alone.bough(['chat', '-m', '/sim think 2 70000', '--name', name])).code).toBe(0);
        expect((await alone.bough(['verify'])).out).toContain('Everything fits together');
      }
    } finally {
      await alone.dispose();
    }
  });

  it('CLI-6: a command opens the store itself, leaves nothing behind, and ignores the file of a dead server', async () => {
    const alone = await makePlace();
    try {
      const first = await alone.serve();
      expect(await first.stop()).toBe(0);
      expect(existsSync(join(alone.dir, 'data', 'server.json'))).toBe(false);
      await writeFile(join(alone.dir, 'data', 'server.json'), '{"url":"http://127.0.0.1:9","pid":1}');
      expect((await alone.bough(['chat', '-m', 'Hello', '--name', 'Alone'])).code).toBe(0);
      expect((await alone.bough(['ls'])).out).toContain('Alone');
      expect((await alone.bough(['verify'])).out).toContain('Everything fits together');
      expect((await alone.bough(['move', 'Alone', '--to', 'files', '--to-data', 'copy'])).out).toContain(
        'proved equal',
      );
      expect((await alone.bough(['ls', '--data', 'copy'])).out).toContain('Alone');
    } finally {
      await alone.dispose();
    }
  });
});

describe('a project with a summary', () => {
  it('CLI-417: is moved with it: what it stands for stays summarised there', async () => {
    const alone = await makePlace();
    try {
      for (const words of [
        ['--name', 'Long'],
        ['--project', 'Long'],
      ])
        expect((await alone.bough(['chat', '-m', 'fact river is Spree', ...words])).code).toBe(0);
      const made = await alone.bough(['compact', 'main', '--project', 'Long', '--name', 'short']);
      expect(made.code, made.err).toBe(0);
      expect((await alone.bough(['move', 'Long', '--to', 'git', '--to-data', 'copy'])).out).toContain('proved equal');
      const there = ['--project', 'Long', '--store', 'git', '--data', 'copy'];
      expect((await alone.bough(['context', 'short', ...there])).out).toContain('compacted');
      const body = await alone.bough(['context', 'short', '--project', 'Long', '--json']);
      const moved = await alone.bough(['context', 'short', ...there, '--json']);
      const sent = (output: typeof body) =>
        (output.json() as { readonly request: { readonly body: string } }).request.body;
      expect(sent(moved)).toBe(sent(body));
    } finally {
      await alone.dispose();
    }
  });
});

describe('the trash', () => {
  it('CLI-35: what was deleted is listed, restored, and deleted for good', async () => {
    await place.bough(['chat', '-m', 'Hi', '--name', 'Kept', '--json']);
    await place.bough(['branch', 'spare', '--project', 'Kept']);
    expect((await place.bough(['branch', 'spare', '--project', 'Kept', '--delete'])).code).toBe(0);
    const listed = await place.bough(['trash', '--project', 'Kept']);
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('branch spare')]);
    const [entry] = (await place.bough(['trash', '--project', 'Kept', '--json'])).json() as { id: string }[];
    const id = (entry?.id ?? '').slice(0, 8);
    const restored = await place.bough(['trash', '--restore', id]);
    expect([restored.code, restored.out]).toEqual([0, 'Restored branch spare in Kept.\n']);
    expect((await place.bough(['ls', 'Kept'])).out).toContain('spare');
    expect((await place.bough(['trash', '--restore', id])).code).toBe(2);
    await place.bough(['branch', 'spare', '--project', 'Kept', '--delete']);
    expect((await place.bough(['trash', '--project', 'Kept', '--empty'])).out).toBe('Deleted 1 entry for good.\n');
    expect((await place.bough(['trash', '--project', 'Kept'])).out).toBe('The trash is empty.\n');
    expect((await place.bough(['trash', '--empty', '--restore', id])).code).toBe(2);
  });
});
