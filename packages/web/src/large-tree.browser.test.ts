import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { eventually, send } from './testing/page-objects.ts';
import { requestsOf, untilQuiet } from './testing/requests.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
/** More than one answer holds. */
const COUNT = 10_040;
let projectId = '';

beforeAll(async () => {
  const messages = Array.from({ length: COUNT }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${at}`,
  }));
  const file = new Blob([JSON.stringify({ messages })]);
  await (await stage.server.client.importFile(file, { name: 'A long talk.json' })).text();
  projectId = (await stage.server.client.listProjects()).projects[0]?.id ?? '';
  const { branches, nodes } = await stage.server.client.graph(projectId, { limit: 100 });
  const tip = branches[0];
  expect(tip?.name).toBe('main');
  await stage.server.client.createBranch(projectId, { name: 'aside', fromNodeId: nodes[41]?.id ?? '' });
});

const tree = (page: Page) => page.getByRole('tree', { name: en['graph.label'] });

describe('a tree of ten thousand messages', () => {
  it('WEB-275: comes as an outline; what is folded is opened from the server, and leads to its message', async () => {
    const asked: string[] = [];
    // From a page without a tree: what that one had asked for could not be read any more here.
    const page = await stage.open('/settings');
    page.on('request', (request) => {
      if (request.url().includes('/graph')) asked.push(request.url());
    });
    const first = page.waitForResponse((response) => response.url().includes('/graph'));
    await page.goto(`${stage.server.url}/p/${projectId}/b/main`);
    await tree(page).waitFor();
    await page.getByText('10,040').waitFor();
    // The end of the branch is there, and a run stands for what comes before it.
    const run = tree(page).getByRole('treeitem', { name: /^Show the/ });
    await eventually(() => run.count()).toBe(2);
    expect((await (await first).body()).length).toBeLessThan(20_000);
    await run.first().click();
    await eventually(() => tree(page).getByRole('treeitem').count()).toBeGreaterThan(10);
    await eventually(async () => asked.some((url) => url.includes('open='))).toBe(true);
    await tree(page)
      .getByRole('treeitem', { name: /Message 30$/ })
      .click();
    await page.locator('.conversation').getByText('Message 30', { exact: true }).waitFor();
  });

  it('WEB-51: one message costs six requests at most, and is in the tree at once', async () => {
    const page = await stage.open(`/p/${projectId}/b/aside`);
    await tree(page).waitFor();
    await page.getByText('10,040').waitFor();
    const asked = requestsOf(page);
    await untilQuiet(page, asked);
    asked.length = 0;
    await send(page, '/sim say Quite cheap.');
    await page.locator('.reply').getByText('Quite cheap.', { exact: true }).waitFor();
    // Both are there without the tree having been read again.
    await page.getByText('10,042').waitFor();
    await tree(page)
      .getByRole('treeitem', { name: /Quite cheap\.$/ })
      .first()
      .waitFor();
    await untilQuiet(page, asked);
    expect(asked.filter((each) => each.endsWith('/graph'))).toEqual([]);
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(6);
  });

  it('WEB-276: two of its branches are compared from where they diverge', async () => {
    const { client } = stage.server;
    await (await client.chat(projectId, { ref: 'aside', message: '/sim say Elsewhere.' })).text();
    const page = await stage.open(`/p/${projectId}/compare/aside/main`);
    await page.getByText('Elsewhere.', { exact: true }).waitFor();
    await page.getByText(en['compare.common'].replace('{count}', '42')).waitFor();
  });
});
