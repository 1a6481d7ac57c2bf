import { startSimulator } from '@bough/simulator';
import type { Locator, Page } from 'playwright-core';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { zh } from './i18n/zh.ts';
import { expectAccessible } from './testing/axe.ts';
import { button, eventually } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const GOOD = 'sk-good-key-0123456789abcdef';
const SCRIPT = fileURLToPath(new URL('../scripts/mcp-server.mjs', import.meta.url));
const simulator = await startSimulator({ keys: [GOOD] });
afterAll(() => simulator.close());

const stage = useStage({
  providers: {
    deepseek: { baseUrl: `${simulator.url}/deepseek/v1` },
    filed: {
      label: 'From the file',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: ['m'],
      headers: { 'x-key': 'unseen-77' },
    },
  },
  mcpServers: { shed: { command: process.execPath, args: [SCRIPT], env: { TOKEN: 'unseen-77' } } },
  tools: { approval: { calculator: 'ask', 'shed.water': 'never' } },
});

const PHONE = { viewport: { width: 390, height: 844 } };

const provider = (page: Page, id: string): Locator => page.locator(`details[data-provider="${id}"]`);
const toolServer = (page: Page, name: string): Locator => page.locator(`details[data-server="${name}"]`);
async function opened(details: Locator): Promise<Locator> {
  await details.locator('summary').first().click();
  return details;
}
const field = (within: Page | Locator, label: string): Locator => within.getByLabel(label, { exact: true });
const navigation = (page: Page): Locator => page.getByRole('navigation', { name: en['settings.sections'] });
const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');

/** Adds a provider at the simulator. */
async function addProvider(page: Page, id: string, key = GOOD): Promise<void> {
  await button(page, en['settings.deployment.add']).click();
  const dialog = page.getByRole('dialog', { name: en['settings.deployment.add'] });
  await field(dialog, en['settings.deployment.id']).fill(id);
  await field(dialog, en['settings.deployment.label']).fill(`The ${id}`);
  await field(dialog, en['settings.baseUrl']).fill(`${simulator.url}/v1`);
  await field(dialog, en['settings.deployment.models']).fill('sim-plain\n{"id":"big","window":9000}');
  await field(dialog, en['settings.key']).fill(key);
  await button(dialog, en['settings.deployment.save']).click();
  await dialog.waitFor({ state: 'detached' });
}

async function addToolServer(page: Page, name: string, script = SCRIPT): Promise<void> {
  await button(page, en['settings.tools.add']).click();
  const dialog = page.getByRole('dialog', { name: en['settings.tools.add'] });
  await field(dialog, en['settings.deployment.id']).fill(name);
  await field(dialog, en['settings.tools.command']).fill(process.execPath);
  await field(dialog, en['settings.tools.args']).fill(script);
  await button(dialog, en['settings.tools.env.add']).click();
  await field(dialog, en['settings.tools.env.name']).fill('TOKEN');
  await field(dialog, en['settings.values.value'].replace('{name}', 'TOKEN')).fill('unseen-78');
  await button(dialog, en['settings.tools.save']).click();
  await dialog.waitFor({ state: 'detached' });
}

describe('the frame', () => {
  it('WEB-100: names the sections, leads to each of them, and marks the one that is read', async () => {
    const page = await stage.open('/settings');
    const nav = navigation(page);
    await page.getByRole('heading', { name: en['settings.tools'] }).waitFor();
    const headings = (): Promise<string[]> => page.locator('section[id] > h2').allInnerTexts();
    const links = (): Promise<string[]> => nav.getByRole('link').allInnerTexts();
    await eventually(links).toEqual(expect.arrayContaining([en['settings.providers'], en['settings.tools']]));
    // Sections appear as what they show arrives.
    await eventually(async () => (await links()).join('\n') === (await headings()).join('\n')).toBe(true);
    const current = (): Promise<string> => nav.locator('[aria-current]').innerText();
    await eventually(current).toBe(en['settings.appearance']);
    await nav.getByRole('link', { name: en['settings.tools'] }).click();
    await page.waitForURL(/#tools$/);
    await eventually(current).toBe(en['settings.tools']);
    await eventually(async () => (await page.locator('#tools').boundingBox())?.y ?? 9_999).toBeLessThan(700);
  });

  it('WEB-100: what is read is told again when only the sizes change', async () => {
    const page = await stage.open('/settings', { viewport: { width: 1280, height: 2_400 } });
    const current = navigation(page).locator('[aria-current]');
    await page.getByRole('heading', { name: en['settings.tools'] }).waitFor();
    await eventually(() => current.innerText()).not.toBe(en['settings.appearance']);
    await page.setViewportSize({ width: 1280, height: 500 });
    await eventually(() => current.innerText()).toBe(en['settings.appearance']);
  });

  it('WEB-100: a link to a section scrolls the settings, not the page around them', async () => {
    const page = await stage.open('/settings#providers', { viewport: { width: 1280, height: 720 } });
    const section = page.locator('#providers');
    await eventually(async () => (await section.boundingBox())?.y ?? Infinity).toBeLessThan(200);
    const name = await page.locator('.wordmark').boundingBox();
    expect(name?.y).toBeGreaterThanOrEqual(0);
    expect(await page.locator('.app').evaluate((element) => element.scrollTop)).toBe(0);
  });

  it('WEB-100: a link leads to its section, on a phone too, where the sections stay above', async () => {
    const page = await stage.open('/settings#providers', PHONE);
    await eventually(async () => (await page.locator('#providers').boundingBox())?.y ?? 9_999).toBeLessThan(200);
    expect((await navigation(page).boundingBox())?.y).toBeLessThan(80);
    const link = navigation(page).getByRole('link', { name: en['settings.providers'] });
    await eventually(async () => ((await link.boundingBox())?.x ?? -1) >= 0).toBe(true);
    const { x = 0, width = 999 } = (await link.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(390);
  });
});

describe('providers and keys', () => {
  it('WEB-101: each says where its key comes from; one that is saved is not shown again and can be removed', async () => {
    const page = await stage.open('/settings');
    const mistral = await opened(provider(page, 'mistral'));
    const badge = mistral.locator('.badge').last();
    expect(await badge.innerText()).toBe(en['settings.key.none']);
    await field(mistral, en['settings.key']).fill('sk-mistral-0123456789');
    await button(mistral, en['settings.key.save']).click();
    await eventually(() => badge.innerText()).toBe(en['settings.key.stored']);
    expect(await field(mistral, en['settings.key']).inputValue()).toBe('');
    expect(await page.content()).not.toContain('sk-mistral');
    await button(mistral, en['settings.key.remove']).click();
    await eventually(() => badge.innerText()).toBe(en['settings.key.none']);
  });

  it('WEB-102: Test says in a sentence what came back', async () => {
    const page = await stage.open('/settings');
    const deepseek = await opened(provider(page, 'deepseek'));
    const verdict = deepseek.locator('.test-result');
    const test = async (): Promise<void> => button(deepseek, en['settings.test']).click();
    await test();
    await verdict.getByText(en['settings.test.no_key']).waitFor();
    const enter = async (key: string): Promise<void> => {
      await field(deepseek, en['settings.key']).fill(key);
      await button(deepseek, en['settings.key.save']).click();
      await deepseek.getByText(en['settings.saved'], { exact: true }).waitFor();
    };
    await enter('sk-wrong-key-9876543210fedcba');
    await test();
    await verdict.getByText(en['settings.test.key_refused']).waitFor();
    expect(await verdict.innerText()).toContain('Incorrect API key provided');
    expect(await page.content()).not.toContain('wrong-key-98');
    await enter(GOOD);
    await test();
    await eventually(() => verdict.innerText()).toMatch(/^Works\. Models listed: \d+\.$/);
    await expectAccessible(page, 'a tested provider');
    const filed = await opened(provider(page, 'filed'));
    await button(filed, en['settings.test']).click();
    await filed.getByText(en['settings.test.unreachable']).waitFor();
  });

  it('WEB-103: a provider is added, works at once, is changed and removed', async () => {
    const page = await stage.open('/settings#providers');
    await addProvider(page, 'lab');
    const lab = await opened(provider(page, 'lab'));
    expect(await lab.locator('.badge').allInnerTexts()).toEqual([en['settings.from.page'], en['settings.key.stored']]);
    await button(lab, en['settings.test']).click();
    await eventually(() => lab.locator('.test-result').innerText()).toMatch(/^Works/);
    const { project } = await stage.server.client.createProject({ provider: 'lab', model: 'sim-plain' });
    const said = await (await stage.server.client.chat(project.id, { ref: 'main', message: '/sim say hi' })).text();
    expect(said).toContain('"status":"complete"');

    await button(lab, en['settings.change']).click();
    const dialog = page.getByRole('dialog');
    expect(await field(dialog, en['settings.deployment.models']).inputValue()).toBe(
      'sim-plain\n{"id":"big","window":9000}',
    );
    await field(dialog, en['settings.deployment.label']).fill('Renamed');
    await button(dialog, en['settings.deployment.save']).click();
    await lab.getByText('Renamed', { exact: true }).waitFor();
    await eventually(() => focused(page)).toBe(en['settings.change']);

    await button(lab, en['settings.remove']).click();
    await button(page.getByRole('dialog'), en['settings.remove']).click();
    await lab.waitFor({ state: 'detached' });
    const { providers } = await stage.server.client.listProviders();
    expect(providers.map(({ id }) => id)).not.toContain('lab');
  });

  it('WEB-103: what is wrong stands beside its field, and what was typed stays', async () => {
    stage.allow(/40[0-9]|422/);
    const page = await stage.open('/settings');
    await button(page, en['settings.deployment.add']).click();
    const dialog = page.getByRole('dialog', { name: en['settings.deployment.add'] });
    const problem = (label: string): Promise<string | null> =>
      field(dialog, label).evaluate((input) => {
        const ids = input.getAttribute('aria-describedby')?.split(' ') ?? [];
        const told = ids.map((id) => document.getElementById(id)).find((element) => element?.role === 'alert');
        return input.getAttribute('aria-invalid') === 'true' ? (told?.textContent ?? '') : null;
      });
    await field(dialog, en['settings.deployment.start']).selectOption('vllm');
    expect(await field(dialog, en['settings.baseUrl']).inputValue()).toBe('http://127.0.0.1:8000/v1');
    await field(dialog, en['settings.deployment.id']).fill('anthropic');
    await button(dialog, en['settings.deployment.save']).click();
    await eventually(() => problem(en['settings.deployment.id'])).toContain('built in');
    await field(dialog, en['settings.deployment.id']).fill('two words');
    await button(dialog, en['settings.deployment.save']).click();
    await eventually(() => problem(en['settings.deployment.id'])).toContain('letters, digits');
    await field(dialog, en['settings.deployment.id']).fill('mine');
    await button(dialog, en['settings.deployment.save']).click();
    await eventually(() => problem(en['settings.deployment.models'])).toContain('at least one model');
    expect(await problem(en['settings.deployment.id'])).toBeNull();
    await field(dialog, en['settings.deployment.models']).fill('{"id":');
    await button(dialog, en['settings.deployment.save']).click();
    await eventually(() => problem(en['settings.deployment.models'])).toBe(en['settings.notJson']);
    await field(dialog, en['settings.deployment.models']).fill('m');
    await field(dialog, en['settings.baseUrl']).fill('nowhere');
    await button(dialog, en['settings.deployment.save']).click();
    await eventually(() => problem(en['settings.baseUrl'])).toContain('http://');
    await expectAccessible(page, 'a provider with a wrong address');
    await page.keyboard.press('Escape');
    await eventually(() => focused(page)).toBe(en['settings.deployment.add']);
  });

  it('WEB-106: what comes from the configuration file says so, and is not changed here', async () => {
    const page = await stage.open('/settings');
    const filed = await opened(provider(page, 'filed'));
    expect(await filed.locator('.badge').first().innerText()).toBe(en['settings.from.file']);
    await filed.getByText(en['settings.readOnly'], { exact: false }).waitFor();
    expect(await button(filed, en['settings.change']).count()).toBe(0);
    expect(await button(filed, en['settings.remove']).count()).toBe(0);
    const shed = await opened(toolServer(page, 'shed'));
    await shed.getByText(en['settings.readOnly']).waitFor();
    expect(await button(shed, en['settings.change']).count()).toBe(0);
    await page.locator('#providers .stored').getByText('page.config.json', { exact: false }).waitFor();
    expect(await page.content()).not.toContain('unseen-77');
  });
});

describe('tool servers', () => {
  it('WEB-104: one is added, connects, shows its tools, is disabled, reconnected, changed and removed', async () => {
    const page = await stage.open('/settings#tools');
    await addToolServer(page, 'garden');
    const garden = await opened(toolServer(page, 'garden'));
    const state = (): Promise<string> => garden.locator('summary .badge').last().innerText();
    await eventually(state).toBe(en['settings.tools.state.connected']);
    await garden.getByText('garden.water', { exact: true }).waitFor();
    await expectAccessible(page, 'a connected tool server');
    await button(garden, en['settings.tools.disable']).click();
    await eventually(state).toBe(en['settings.tools.state.disabled']);
    await button(garden, en['settings.tools.enable']).click();
    await eventually(state).toBe(en['settings.tools.state.connected']);
    await button(garden, en['settings.tools.reconnect']).click();
    await eventually(state).toBe(en['settings.tools.state.connected']);

    await button(garden, en['settings.change']).click();
    const dialog = page.getByRole('dialog');
    // The value is set, unseen, and stays.
    const value = field(dialog, en['settings.values.value'].replace('{name}', 'TOKEN'));
    expect([await value.inputValue(), await value.getAttribute('placeholder')]).toEqual([
      '',
      en['settings.values.set'],
    ]);
    await field(dialog, en['settings.tools.args']).fill(`${SCRIPT}\n--quiet`);
    await button(dialog, en['settings.tools.save']).click();
    await dialog.waitFor({ state: 'detached' });
    await garden.getByText('--quiet', { exact: false }).waitFor();
    const { servers } = await stage.server.client.listMcpServers();
    expect(servers.find(({ name }) => name === 'garden')?.entry).toMatchObject({ env: { TOKEN: null } });
    await button(garden, en['settings.remove']).click();
    await button(page.getByRole('dialog'), en['settings.remove']).click();
    await garden.waitFor({ state: 'detached' });
  });

  it('WEB-104: one that fails says why', async () => {
    const page = await stage.open('/settings#tools');
    await button(page, en['settings.tools.add']).click();
    const dialog = page.getByRole('dialog');
    await field(dialog, en['settings.deployment.id']).fill('absent');
    await field(dialog, en['settings.tools.command']).fill('no-such-program-at-all');
    await button(dialog, en['settings.tools.save']).click();
    const absent = await opened(toolServer(page, 'absent'));
    await absent.getByText('ENOENT', { exact: false }).waitFor();
    expect(await absent.locator('summary .badge').last().innerText()).toBe(en['settings.tools.state.failed']);
    await expectAccessible(page, 'a failed tool server');
    await stage.server.client.deleteMcpServer('absent');
  });

  it('WEB-104: a wrong address is told beside its field', async () => {
    stage.allow(/422/);
    const page = await stage.open('/settings#tools', PHONE);
    await button(page, en['settings.tools.add']).click();
    const dialog = page.getByRole('dialog');
    await field(dialog, en['settings.deployment.id']).fill('remote');
    await dialog.getByRole('radio', { name: en['settings.tools.kind.address'] }).check({ force: true });
    await field(dialog, en['settings.tools.url']).fill('ftp://example.com');
    await button(dialog, en['settings.tools.save']).click();
    await eventually(() => field(dialog, en['settings.tools.url']).getAttribute('aria-invalid')).toBe('true');
    expect(await dialog.getByRole('alert').count()).toBe(1);
  });

  it('WEB-105: rules for a server and for a tool; those of the file are shown and fixed', async () => {
    const page = await stage.open('/settings#tools');
    const shed = await opened(toolServer(page, 'shed'));
    const rule = (name: string): Locator => field(shed, name);
    await rule('shed.harvest').waitFor();
    expect([await rule('shed.water').isDisabled(), await rule('shed.water').inputValue()]).toEqual([true, 'never']);
    await rule(en['settings.tools.approval.all']).selectOption('auto');
    const approvals = async (): Promise<Record<string, string>> => {
      const { tools } = await stage.server.client.listTools();
      return Object.fromEntries(tools.map(({ name, approval }) => [name, approval]));
    };
    await eventually(approvals).toMatchObject({ shed__harvest: 'auto', shed__water: 'never' });
    await eventually(() => rule('shed.harvest').locator('option').first().innerText()).toContain(
      en['settings.approval.auto'],
    );
    await rule('shed.harvest').selectOption('never');
    await eventually(approvals).toMatchObject({ shed__harvest: 'never' });
    await rule('shed.harvest').selectOption('');
    await eventually(approvals).toMatchObject({ shed__harvest: 'auto' });
    const builtIn = await opened(page.locator('#tools details.provider').last());
    expect(await field(builtIn, 'calculator').isDisabled()).toBe(true);
    await field(builtIn, 'current_time').selectOption('ask');
    await eventually(approvals).toMatchObject({ current_time: 'ask' });
  });

  it('WEB-777: what Bough’s own tools do is told in the reader’s language, not as models are told', async () => {
    const page = await stage.open('/settings#tools', { locale: 'zh-CN' });
    const builtIn = await opened(page.locator('#tools details.provider').last());
    await builtIn.getByText(zh['tool.calculator.about'], { exact: true }).waitFor();
  });

  it('WEB-107: the whole page, in Chinese and on a phone, is accessible and inside its window', async () => {
    const page = await stage.open('/settings', PHONE);
    await page.getByRole('radio', { name: en['settings.language.zh'] }).check({ force: true });
    await page.getByRole('heading', { name: zh['settings.tools'] }).waitFor();
    for (const details of await page.locator('details.provider').all())
      await details.locator('summary').first().click();
    await expectAccessible(page, 'every entry open');
    const width = await page.evaluate(() => document.querySelector('.page')?.scrollWidth ?? 0);
    expect(width).toBeLessThanOrEqual(390);
  });
});
