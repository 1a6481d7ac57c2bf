import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { useStage } from './testing/stage.ts';

const TOKEN = 'a-token-for-the-installed-page';
let dir: string;
const web = (): string => join(dir, 'web');
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'bough-installed-'));
  await cp(fileURLToPath(new URL('../dist', import.meta.url)), web(), { recursive: true });
});
afterAll(() => rm(dir, { recursive: true, force: true }));
const stage = useStage({}, TOKEN, web);

async function installed(): Promise<Page> {
  stage.allow(/401/);
  const page = await stage.open('/', { serviceWorkers: 'allow' });
  await page.getByLabel(en['unlock.token']).waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  return page;
}

describe('the installed page', () => {
  it('WEB-114: has a manifest with icons that are there', async () => {
    const page = await stage.open('/');
    stage.allow(/401/);
    const address = await page.locator('link[rel="manifest"]').getAttribute('href');
    const answer = await page.request.get(`${stage.server.url}${address}`);
    expect(answer.headers()['content-type']).toBe('application/manifest+json');
    const manifest = (await answer.json()) as { readonly icons: readonly { readonly src: string }[] };
    for (const { src } of manifest.icons) {
      const icon = await page.request.get(`${stage.server.url}${src}`);
      expect(icon.status()).toBe(200);
      expect(icon.headers()['content-type']).toMatch(/^image\//);
    }
  });

  it('WEB-114: says that the server cannot be reached, and opens by itself when it is back', async () => {
    stage.allow(/ERR_CONNECTION|Failed to load|answered 503|failed:/);
    const page = await installed();
    await stage.server.stop();
    await page.goto(`${stage.server.url}/p/anything`);
    await page.getByRole('heading', { name: 'Bough’s server cannot be reached' }).waitFor();
    await expectAccessible(page, 'the page without a server');
    await stage.server.start();
    await page.getByLabel(en['unlock.token']).waitFor();
    expect(new URL(page.url()).pathname).toBe('/p/anything');
  });

  it('WEB-114: keeps nothing: a new version is there with the next visit, and no answer is an old one', async () => {
    const page = await installed();
    const index = join(web(), 'index.html');
    const before = await readFile(index, 'utf8');
    await writeFile(
      index,
      before.replace('<title>Bough</title>', '<title>Bough</title><meta name="build" content="2" />'),
    );
    await page.reload();
    expect(await page.locator('meta[name="build"]').getAttribute('content')).toBe('2');
    expect(await page.evaluate(() => caches.keys())).toEqual([]);
    // Behind the token: what is refused is refused by the server, every time.
    const status = () => page.evaluate(async () => (await fetch('/api/projects')).status);
    expect([await status(), await status()]).toEqual([401, 401]);
    await page.getByLabel(en['unlock.token']).fill(TOKEN);
    await page.getByRole('button', { name: en['unlock.open'] }).click();
    await page.getByRole('heading', { name: en['conversation.empty.title'] }).waitFor();
    expect(await status()).toBe(200);
  });
});
