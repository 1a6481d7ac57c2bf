import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../testing/run-cli.ts';
import { makePlace } from '../testing/run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await makePlace();
});
afterAll(() => place.dispose());

const chat = (...words: readonly string[]) => place.bough(['chat', ...words, '--json']);

describe('tools that the provider runs itself, on the command line', () => {
  it('CLI-65: chat switches them on by name, and what they did is in the conversation', async () => {
    const begun = await chat(
      '--name',
      'Elms',
      '--provider-tools',
      'web_search,code_execution',
      '-m',
      '/sim search elms',
    );
    expect(begun.code, begun.err).toBe(0);
    const log = await place.bough(['log', '--project', 'Elms', '--json']);
    expect(log.out).toContain('web_search_tool_result');
    expect(log.out).toContain('https://example.com/elms');
    const request = await place.bough(['export', 'Elms', '--format', 'request']);
    expect(request.out).toContain('web_search_20250305');
    expect(request.out).toContain('code_execution_20250825');
  });

  it('CLI-65: branch takes settings as JSON, and "none" switches all of it off', async () => {
    const settings = [{ tool: 'web_search', settings: { maxUses: 3 } }];
    const words = ['branch', 'limited', '--project', 'Elms', '--provider-tools', JSON.stringify(settings), '--json'];
    const limited = await place.bough(words);
    expect(limited.json()).toMatchObject({ providerTools: settings });
    const off = await place.bough(['branch', 'off', '--project', 'Elms', '--provider-tools', 'none', '--json']);
    expect(off.json()).toMatchObject({ providerTools: [] });
  });

  it('CLI-65: a name that nobody knows is wrong usage; one that the model lacks is refused with the reason', async () => {
    const unknown = await chat('--provider-tools', 'telepathy', '-m', 'Hi');
    expect(unknown.code).toBe(2);
    expect(unknown.err + unknown.out).toContain('web_search');
    const lacking = await chat('--provider-tools', 'image_generation', '-m', 'Hi');
    expect(lacking.code).toBe(1);
    expect(lacking.json()).toMatchObject({ error: { code: 'provider_tool_not_offered' } });
  });

  it('CLI-130: what chat is asked for counts on a branch that is there', async () => {
    const tools = ['--tools', 'calculator', '--effort', 'high', '--provider-tools', 'web_search'];
    expect((await chat('--project', 'Elms', ...tools, '-m', 'More.')).code).toBe(0);
    const [main] = (await place.bough(['ls', 'Elms', '--json'])).json() as readonly [unknown];
    expect(main).toMatchObject({ tools: ['calculator'], thinking: 'high', providerTools: [{ tool: 'web_search' }] });
  });

  it('CLI-131: files that the model does not take are left out if a branch is told so', async () => {
    const words = ['branch', 'bare', '--project', 'Elms', '--files-otherwise', 'omit', '--json'];
    expect((await place.bough(words)).json()).toMatchObject({ filesOtherwise: 'omit' });
    const changed = await chat('--project', 'Elms', '--branch', 'bare', '--files-otherwise', 'text', '-m', 'More.');
    expect(changed.code, changed.err).toBe(0);
    const branches = (await place.bough(['ls', 'Elms', '--json'])).json() as readonly { readonly name: string }[];
    expect(branches.find(({ name }) => name === 'bare')).toMatchObject({ filesOtherwise: 'text' });
  });

  it('CLI-130: what its lock does not allow is refused, and no message is sent', async () => {
    const before = (await place.bough(['log', '--project', 'Elms', '--json'])).out;
    const other = await chat('--project', 'Elms', '--model', 'sim-plain', '-m', 'More.');
    expect(other.code).toBe(1);
    expect(other.json()).toMatchObject({ error: { code: 'branch_locked' } });
    const named = await chat('--project', 'Elms', '--name', 'Oaks', '-m', 'More.');
    expect(named.code).toBe(2);
    expect((await place.bough(['log', '--project', 'Elms', '--json'])).out).toBe(before);
  });
});
