// A server that is slow, unreachable, or refuses.
import { composer, exact, readBranch, send, showPanel, startProject } from '../hands.mjs';
import { BOTH, COLOURS, LAPTOP } from '../views.mjs';

const never = () => new Promise(() => undefined);

/** The page is there, but what it requests is not. */
const loading = (path, pattern) => async (visit) => {
  const { program, story } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/settings`);
  await page.getByRole('heading', exact(visit.t('settings.title'))).waitFor();
  await page.route(pattern, never);
  await page.goto(`${program.url}${path(story)}`);
  await page.locator('#root > *').first().waitFor();
  await page.waitForTimeout(1_000);
  await visit.shot();
};

const refused = (path, pattern) => async (visit) => {
  const { program, story } = await visit.worlds.visit('story');
  const page = await visit.open('about:blank');
  await page.route(pattern, (route) =>
    route.fulfill({
      status: 500,
      json: { error: { code: 'internal', message: 'The disk is full.', retryable: false } },
    }),
  );
  await page.goto(`${program.url}${path(story)}`);
  await page.getByRole('alert').first().waitFor();
  await visit.shot();
};

/** Something that the page does not expect: it throws while it is drawn. */
async function seeBroken(visit) {
  const { program } = await visit.worlds.visit('story');
  const page = await visit.open('about:blank');
  await page.route('**/api/diagnostics/**', (route) => route.fulfill({ json: {} }));
  await page.goto(`${program.url}/diagnostics`);
  await page.getByRole('alert').getByText(visit.t('error.thrown')).waitFor();
  await visit.shot();
}

async function seeServerGone(visit) {
  const program = await visit.worlds.startOwn();
  const page = await startProject(visit, {}, program);
  await send(visit, '/sim say Here for now.');
  await page.locator('.reply-footer').waitFor();
  await send(visit, '/sim slow 200 /sim long 4000');
  await page.locator('.reply-body[aria-busy] .prose').first().waitFor();
  await program.stop();
  await page.locator('.unreachable').waitFor();
  await visit.shot('streaming');
  await page.waitForTimeout(3_000);
  await visit.shot('later');
  await page
    .getByRole('link', exact(visit.t('settings.title')))
    .click({ timeout: 2_000 })
    .catch(() => undefined);
  await page.waitForTimeout(1_500);
  await visit.shot('elsewhere');
}

async function seeSendFails(visit) {
  const page = await readBranch(visit, 'for children');
  await page.route('**/chat', (route) => route.abort('connectionrefused'));
  await send(visit, 'This message cannot be sent.');
  await page.locator('.outgoing').getByRole('alert').waitFor();
  await visit.shot();
  await page.getByRole('button', exact(visit.t('outbox.edit'))).click();
  await composer(visit).fill('');
}

async function seeWaiting(visit) {
  const page = await startProject(visit);
  // The fault strikes once for these words.
  await send(visit, `/sim fault 429 30 x1 /sim say After all, on a ${visit.view.name}.`);
  await page.locator('.live-reply .notice').waitFor();
  await visit.shot();
}

async function seeUnreachable(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/settings`);
  await page.getByRole('heading', exact(visit.t('settings.title'))).waitFor();
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.goto(`${program.url}/p/${story.trees.id}/b/main`);
  await page.locator('.unreachable').waitFor();
  await visit.shot();
}

async function seeStale(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const page = await readBranch(visit, 'for children');
  await showPanel(visit, 'graph');
  const error = { code: 'internal', message: 'The disk is full.', retryable: false };
  await page.route(`**/api/projects/${story.trees.id}{,/history*,/graph*}`, (route) =>
    route.fulfill({ status: 500, json: { error } }),
  );
  const name = `elsewhere ${visit.view.name}`;
  await program.call('POST', `/projects/${story.trees.id}/branches`, { name, fromRef: 'main' });
  await page.locator('.stale').waitFor({ state: 'attached' });
  await visit.shot();
  await program.call('DELETE', `/projects/${story.trees.id}/branches/${encodeURIComponent(name)}`);
}

export const trouble = [
  {
    name: 'loading-project',
    views: COLOURS,
    run: loading(({ trees }) => `/p/${trees.id}/b/main`, '**/api/projects/*'),
  },
  { name: 'loading-history', views: BOTH, run: loading(({ trees }) => `/p/${trees.id}/b/main`, '**/history*') },
  { name: 'loading-projects', views: LAPTOP, run: loading(() => '/', '**/api/projects?*') },
  { name: 'loading-settings', views: LAPTOP, run: loading(() => '/settings', '**/api/providers') },
  { name: 'loading-diagnostics', views: LAPTOP, run: loading(() => '/diagnostics', '**/api/diagnostics/**') },
  { name: 'loading-graph', views: LAPTOP, run: loading(({ trees }) => `/p/${trees.id}/b/main`, '**/graph*') },
  { name: 'refused-project', views: LAPTOP, run: refused(({ trees }) => `/p/${trees.id}/b/main`, '**/api/projects/*') },
  { name: 'refused-history', views: LAPTOP, run: refused(({ trees }) => `/p/${trees.id}/b/main`, '**/history*') },
  { name: 'refused-settings', views: LAPTOP, run: refused(() => '/settings', '**/api/providers') },
  { name: 'broken', views: COLOURS, run: seeBroken },
  { name: 'send-fails', views: BOTH, run: seeSendFails },
  { name: 'provider-waits', views: BOTH, run: seeWaiting },
  { name: 'unreachable', views: BOTH, run: seeUnreachable },
  { name: 'stale', views: BOTH, run: seeStale },
  { name: 'server-gone', views: COLOURS, run: seeServerGone },
];
