import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import { gatewayClient } from './testing/gateway-client.ts';
import {
  act,
  actFromMenu,
  button,
  composer,
  ended,
  eventually,
  openPanel,
  reply,
  replyText,
  send,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();

const session = (page: Page, name: string) => page.locator('.session').filter({ hasText: name });

/** A conversation with a tool whose client loses the thinking of the reply that it gives back. */
async function careless(name: string): Promise<string> {
  const client = gatewayClient(stage.server.url, name);
  const first = await client.say(`${name}. /sim tools ls`);
  await first.whole;
  const second = await client.answerCarelessly('a.ts');
  await second.whole;
  expect(second.repairs).toBe('restored');
  return first.projectId;
}

describe('other clients', () => {
  it('WEB-200: a session appears by itself while it runs, in the gateway’s page and in the sidebar, and streams like any other', async () => {
    const page = await stage.open('/clients');
    await page.getByText(en['gateway.sessions.none']).waitFor();
    const client = gatewayClient(stage.server.url, 'live');
    const said = await client.say('Grow slowly, please. /sim slow 60\n/sim long 40000');
    const row = session(page, 'Grow slowly, please.');
    await row.getByRole('img', { name: en['gateway.running'] }).waitFor();
    expect(await row.locator('.session-who').innerText()).toBe('Claude Code 2.1.325 · sim-thinker');
    await page.locator('.folder', { hasText: 'Claude Code' }).locator('summary').click();
    await page.locator('.project-row').getByRole('link', { name: 'Grow slowly, please.' }).click();
    await page.waitForURL((url) => url.pathname.startsWith(`/p/${said.projectId}`));
    await page.locator('.branch-row').getByTitle('Claude Code 2.1.325').waitFor();
    await page.getByRole('img', { name: en['branches.running'] }).waitFor();
    // Its words come while it streams.
    const shown = async (): Promise<number> => (await reply(page, 1).innerText()).length;
    await eventually(shown).toBeGreaterThan(0);
    const before = await shown();
    await eventually(shown).toBeGreaterThan(before);
    said.leave();
    await expect(said.whole).rejects.toMatchObject({ name: 'AbortError' });
    await page.getByRole('img', { name: en['branches.running'] }).waitFor({ state: 'detached' });
  });

  it('WEB-201: each call shows what came, what left, what was repaired and what became of the cache', async () => {
    const projectId = await careless('Damaged');
    const page = await stage.open(`/p/${projectId}/b/main`);
    await ended(page, 1);
    const panel = await openPanel(page, 'details');
    await panel.getByText('Claude Code 2.1.325', { exact: true }).first().waitFor();
    await panel.getByText(en['recorded.tools']).waitFor();
    await actFromMenu(page, reply(page, 1), en['exchange.open']);
    const dialog = page.getByRole('dialog', { name: en['exchange.title'] });
    await dialog.getByText(en['repair.restored']).waitFor();
    await dialog.getByText(en['cause.short']).waitFor();
    await dialog.locator('.diff [data-kind="added"]', { hasText: '"type": "thinking"' }).first().waitFor();
    await dialog.getByText(en['exchange.came'], { exact: true }).click();
    const download = page.waitForEvent('download');
    await dialog.getByRole('link', { name: /^Download/ }).click();
    expect((await download).suggestedFilename()).toBe('came.json');
    await expectAccessible(page, 'what came and what left');
  });

  it('WEB-202: the gateway’s page tells requests, repairs and the newest miss, and changes how a project is treated', async () => {
    const projectId = await careless('Counted');
    const page = await stage.open('/clients');
    const row = session(page, 'Counted');
    expect(await row.locator('.session-use').innerText()).toContain('2 requests');
    expect(await row.locator('.session-use').innerText()).toContain('1 repaired');
    await row.getByText(en['gateway.session.open']).click();
    await row.getByText(en['cause.short']).waitFor();
    await row.getByText(`${en['repair.restored']} (1)`).waitFor();
    await row.getByLabel(en['gateway.mode.label']).selectOption('record');
    await eventually(async () => (await stage.server.client.getProject(projectId)).project.gateway.chosen).toBe(
      'record',
    );
    await page.locator('.connect-list').getByText('Claude Code').click();
    await page.getByText(`export ANTHROPIC_BASE_URL=${stage.server.url}/gateway/anthropic`).first().waitFor();
    await expectAccessible(page, 'the gateway');
  });

  it('WEB-203: diagnostics count what was repaired, for whom', async () => {
    await careless('Diagnosed');
    const page = await stage.open('/diagnostics');
    const repairs = page.getByRole('region', { name: en['diagnostics.repairs'] });
    await repairs.getByRole('row', { name: /Claude Code 2\.1\.325.*restored/s }).waitFor();
    await page.getByRole('region', { name: en['diagnostics.gateway'] }).getByText('sim-thinker').waitFor();
    await page.getByText('Refusals that were mended: 0').waitFor();
  });

  it('WEB-204: any recorded message is continued here on a branch of one’s own', async () => {
    const projectId = await careless('Continued');
    const page = await stage.open(`/p/${projectId}/b/main`);
    await ended(page, 1);
    await act(reply(page, 1), en['reply.branch']);
    const dialog = page.getByRole('dialog');
    await button(dialog, en['branch.create']).click();
    await dialog.waitFor({ state: 'detached' });
    await composer(page).waitFor();
    await send(page, 'Go on without tools. /sim say Gladly.');
    await replyText(page, 2).getByText('Gladly.').waitFor();
    await ended(page, 2);
  });
});
