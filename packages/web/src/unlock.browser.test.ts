import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { ask, button, composer, replyText } from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const TOKEN = 'a-token-that-only-this-test-knows';
const stage = useStage({}, TOKEN);

describe('a server with a token', () => {
  it('WEB-31: asks for it, refuses a wrong one, stays open over a reload, and can be locked again', async () => {
    stage.allow(/401/);
    const { project } = await stage.server.client.createProject({ name: 'Guarded' });
    const page = await stage.open(`/p/${project.id}/b/main`);
    const field = page.getByLabel(en['unlock.token']);
    await field.fill('not-the-token-of-this-server');
    await button(page, en['unlock.open']).click();
    await page.getByRole('alert').waitFor();
    expect(await composer(page).count()).toBe(0);
    await field.fill(TOKEN);
    await field.press('Enter');
    await composer(page).waitFor();
    await ask(page, '/sim say behind the door', 1);
    expect(await replyText(page, 1).innerText()).toBe('behind the door');
    await page.reload();
    await replyText(page, 1).getByText('behind the door').waitFor();
    const readable = await page.evaluate(() => document.cookie + JSON.stringify([localStorage, sessionStorage]));
    expect(readable).not.toContain(TOKEN);
    expect(readable).not.toContain('bough_session');
    await page.goto(`${stage.server.url}/settings`);
    await button(page, en['settings.lock']).click();
    await field.waitFor();
    await page.goto(`${stage.server.url}/p/${project.id}/b/main`);
    await field.waitFor();
    expect(await page.getByText('behind the door').count()).toBe(0);
  });
});
