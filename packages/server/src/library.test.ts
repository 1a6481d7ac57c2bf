import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { STORES, useServers } from './testing/on-each-store.ts';
import type { TestServer } from './testing/start.ts';
import { say, startTestServer } from './testing/start.ts';

const serverOn = useServers();
const LOCK = { provider: 'simulated_chat', model: 'sim-thinker' };

describe.each(STORES)('on %s', (store) => {
  it('SV-70: a preset is made, changed, listed and removed; it survives a restart', async () => {
    const { client } = serverOn(store);
    const wish = {
      ...LOCK,
      systemPrompt: 'Be strict.',
      tools: ['calculator'],
      thinking: 'high' as const,
      maxTokens: 900,
    };
    const { preset } = await client.createPreset({ name: `Reviewer ${store}`, ...wish });
    expect(preset).toMatchObject({ ...wish, failEarly: false, isDefault: false, problem: null });
    const { preset: changed } = await client.updatePreset(preset.id, { thinking: 'off', maxTokens: null });
    expect(changed).toStrictEqual({ ...preset, thinking: 'off', maxTokens: null });
    expect((await client.listPresets()).presets).toContainEqual(changed);
    const moved = await client.updatePreset(preset.name, { provider: 'simulated' });
    expect(moved.preset).toMatchObject({ provider: 'simulated', model: 'sim-thinker' });
    await client.deletePreset(preset.id);
    expect((await client.listPresets()).presets).not.toContainEqual(expect.objectContaining({ id: preset.id }));
    await expect(client.deletePreset(preset.id)).rejects.toMatchObject({ status: 404, code: 'unknown_id' });
  });

  it('SV-75: a prompt is made, changed, imported once and removed', async () => {
    const { client } = serverOn(store);
    const text = 'Translate into {{language:English}}:\n\n{{text}} 🌳 \0';
    const { prompt } = await client.createPrompt({ title: 'Translate', text, tags: ['words', 'words'] });
    expect(prompt).toMatchObject({ title: 'Translate', text, tags: ['words'] });
    const { prompt: changed } = await client.updatePrompt(prompt.id, { title: 'Translation', tags: [] });
    expect(changed).toStrictEqual({ id: prompt.id, title: 'Translation', text, tags: [] });
    const file = [
      { title: 'Translation', text },
      { title: 'New', text: 'n', tags: ['x'] },
      { title: 'New', text: 'n' },
    ];
    expect(await client.importPrompts(file)).toStrictEqual({ added: 1, skipped: 2 });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ title }) => title)).toStrictEqual(['Translation', 'New']);
    for (const { id } of prompts) await client.deletePrompt(id);
    expect(await client.listPrompts()).toStrictEqual({ prompts: [] });
    await expect(client.updatePrompt(prompt.id, { title: 'x' })).rejects.toMatchObject({ status: 404 });
  });
});

describe('presets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.dispose());

  it('SV-71: a project and a branch are made from a preset; what is asked for besides it counts more', async () => {
    const { client } = server;
    const wish = { systemPrompt: 'Be strict.', tools: ['calculator'], thinking: 'high' as const, maxTokens: 900 };
    await client.createPreset({ name: 'Strict', ...LOCK, ...wish, failEarly: true });
    const { branch } = await client.createProject({ preset: 'Strict' });
    expect(branch).toMatchObject({ ...LOCK, ...wish, failEarly: true });
    const other = await client.createProject({ preset: 'Strict', provider: 'simulated', thinking: 'low' });
    expect(other.branch).toMatchObject({ ...wish, provider: 'simulated', model: 'sim-thinker', thinking: 'low' });
    const plain = await client.createProject({});
    await say(client, plain.project.id, 'main', 'Hello');
    const forked = await client.createBranch(plain.project.id, { fromRef: 'main', preset: 'Strict' });
    expect(forked.branch).toMatchObject({ ...LOCK, tools: ['calculator'], thinking: 'high' });
    await expect(client.createProject({ preset: 'Nothing' })).rejects.toMatchObject({ code: 'unknown_id' });
  });

  it('SV-72: names are unique; unknown tools, models and providers are refused', async () => {
    const { client } = server;
    const { preset } = await client.createPreset({ name: 'One', ...LOCK });
    await client.createPreset({ name: 'Two', ...LOCK });
    const taken = { status: 409, code: 'name_taken' };
    await expect(client.createPreset({ name: 'Two', ...LOCK })).rejects.toMatchObject(taken);
    await expect(client.updatePreset(preset.id, { name: 'Two' })).rejects.toMatchObject(taken);
    const refused = (more: object) => client.createPreset({ name: 'Three', ...LOCK, ...more });
    await expect(refused({ tools: ['nothing'] })).rejects.toMatchObject({ code: 'unknown_tool' });
    await expect(refused({ provider: 'nobody' })).rejects.toMatchObject({ code: 'unknown_provider' });
    await expect(refused({ provider: 'simulated', model: 'sim-nothing' })).rejects.toMatchObject({
      code: 'unknown_model',
    });
    await expect(refused({ colour: 'red' })).rejects.toMatchObject({ status: 422 });
  });

  it('SV-73: one preset is the default at most, and a project without wishes is made from it', async () => {
    const { client } = server;
    const { preset } = await client.createPreset({ name: 'Usual', ...LOCK, systemPrompt: 'Usual.', isDefault: true });
    expect((await client.createProject({})).branch).toMatchObject({ ...LOCK, systemPrompt: 'Usual.' });
    expect((await client.createProject({ preset: null })).branch).toMatchObject({ provider: 'simulated' });
    await client.createPreset({ name: 'Newer', provider: 'simulated', model: 'sim-thinker', isDefault: true });
    const defaults = (await client.listPresets()).presets.filter(({ isDefault }) => isDefault);
    expect(defaults.map(({ name }) => name)).toStrictEqual(['Newer']);
    await client.updatePreset(preset.id, { isDefault: true });
    await client.updatePreset(preset.id, { isDefault: false });
    expect((await client.listPresets()).presets.some(({ isDefault }) => isDefault)).toBe(false);
  });

  it('SV-74: a preset whose provider or tool is gone says so; one can choose another model', async () => {
    const mine = { mine: { protocol: 'openai-chat', baseUrl: 'https://models.example/v1', models: [{ id: 'm' }] } };
    const before = await startTestServer({}, { providers: mine });
    const gone = { name: 'Gone', provider: 'mine', model: 'm', systemPrompt: 'Kept.' };
    await before.client.createPreset({ ...gone, isDefault: true });
    await before.stop();
    const after = await startTestServer({}, {}, before.dataDir);
    onTestFinished(after.dispose);
    const { client } = after;
    expect((await client.listPresets()).presets).toMatchObject([{ name: 'Gone', problem: { code: 'provider_gone' } }]);
    await expect(client.createProject({ preset: 'Gone' })).rejects.toMatchObject({
      status: 409,
      code: 'preset_unusable',
      message: expect.stringMatching(/"Gone" uses mine\/m, which is gone.*Choose another model/),
    });
    // The default one must not keep anybody from beginning.
    expect((await client.createProject({})).branch).toMatchObject({ provider: 'simulated', systemPrompt: 'Kept.' });
    expect((await client.createProject({ preset: 'Gone', ...LOCK })).branch).toMatchObject(LOCK);
    const { preset } = await client.updatePreset('Gone', LOCK);
    expect(preset).toMatchObject({ ...LOCK, systemPrompt: 'Kept.', problem: null });
  });
});

describe('defaults', () => {
  it('SV-76: every server of a database sees presets, prompts and the default model at once', async () => {
    const one = await startTestServer({ BOUGH_STORE: 'postgres' });
    onTestFinished(one.dispose);
    const other = await startTestServer({ BOUGH_STORE: 'postgres' }, undefined, one.dataDir);
    onTestFinished(async () => void (await other.stop()));
    await one.client.setDefaults(LOCK);
    expect((await other.client.listProviders()).defaults).toStrictEqual(LOCK);
    expect((await other.client.createProject({})).branch).toMatchObject(LOCK);
    const servers = [one, other];
    // Together: nobody overwrites what another one adds.
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        servers[index % 2]?.client.createPrompt({ title: `Prompt ${index}`, text: 'text' }),
      ),
    );
    expect((await other.client.listPrompts()).prompts).toHaveLength(8);
  });

  it('SV-76: a default model that an older version stored in the data directory still counts', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'bough-old-defaults-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    await writeFile(join(dataDir, 'settings.json'), JSON.stringify({ defaults: LOCK }), { mode: 0o600 });
    const server = await startTestServer({}, undefined, dataDir);
    onTestFinished(async () => void (await server.stop()));
    expect((await server.client.listProviders()).defaults).toStrictEqual(LOCK);
    const newer = { provider: 'simulated', model: 'sim-thinker' };
    await server.client.setDefaults(newer);
    expect((await server.client.listProviders()).defaults).toStrictEqual(newer);
  });

  it.each(STORES)(
    'SV-77: a project has defaults of its own for branches that begin with nothing, on %s',
    async (store) => {
      const { client } = serverOn(store);
      const { project } = await client.createProject({ name: 'Own defaults' });
      expect((await client.getProject(project.id)).project.defaults).toStrictEqual({
        provider: 'simulated',
        model: 'sim-thinker',
        tools: [],
        thinking: 'medium',
      });
      const { project: changed } = await client.updateProject(project.id, {
        systemPrompt: 'In this project.',
        defaults: { provider: LOCK.provider, tools: ['calculator'], thinking: 'low', maxTokens: 700 },
      });
      expect(changed).toMatchObject({ systemPrompt: 'In this project.', defaults: { ...LOCK, maxTokens: 700 } });
      const { branch } = await client.createBranch(project.id, { empty: true });
      expect(branch).toMatchObject({
        ...LOCK,
        name: 'main 2',
        tipId: null,
        forkedFromId: null,
        systemPrompt: 'In this project.',
        tools: ['calculator'],
        thinking: 'low',
        maxTokens: 700,
      });
      // A fork goes on with what it is forked from.
      await say(client, project.id, 'main', 'Hello');
      expect((await client.createBranch(project.id, { fromRef: 'main' })).branch).toMatchObject({
        provider: 'simulated',
        systemPrompt: null,
      });
      const { project: freed } = await client.updateProject(project.id, { defaults: { maxTokens: null } });
      expect(freed.defaults).not.toHaveProperty('maxTokens');
      const wrong = (defaults: object) => client.updateProject(project.id, { defaults });
      await expect(wrong({ tools: ['nothing'] })).rejects.toMatchObject({ code: 'unknown_tool' });
      await expect(wrong({ provider: 'nobody' })).rejects.toMatchObject({ code: 'unknown_provider' });
      await expect(client.createBranch(project.id, { empty: true, fromRef: 'main' })).rejects.toMatchObject({
        status: 422,
      });
    },
  );
});
