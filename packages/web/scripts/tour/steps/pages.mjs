// Every address of the page.
import { button, exact, formatted, readBranch } from '../hands.mjs';
import { BOTH, COLOURS, EVERY, LAPTOP, SIZED } from '../views.mjs';
import { TOKEN } from '../worlds.mjs';

const at = (path, wait) => async (visit) => {
  const { program, story } = await visit.worlds.visit('story');
  await visit.open(`${program.url}${path(story)}`);
  await wait(visit);
  await visit.shot();
};
const heading = (key) => async (visit) =>
  visit
    .page()
    .getByRole('heading', exact(visit.t(key)))
    .first()
    .waitFor();
const alert = async (visit) => visit.page().getByRole('alert').first().waitFor();

async function seeEmptyHome(visit) {
  const { program } = await visit.worlds.visit('empty');
  await visit.open(program.url);
  await heading('conversation.empty.title')(visit);
  await visit.shot();
}

async function seeConversation(visit) {
  await readBranch(visit);
  await visit.shot();
}

async function seeProvider(visit) {
  const { program } = await visit.worlds.visit('keyed');
  const page = await visit.open(`${program.url}/settings`);
  for (const label of ['Anthropic', 'OpenAI']) {
    const provider = page.locator('details.provider', { hasText: label }).first();
    await provider.locator('summary').click();
    await provider.scrollIntoViewIfNeeded();
    await visit.shot(label.toLowerCase());
  }
}

async function seeUnlock(visit) {
  const { program } = await visit.worlds.visit('guarded');
  const page = await visit.open(program.url);
  const field = page.getByLabel(visit.t('unlock.token'));
  await field.waitFor();
  await visit.shot();
  await field.fill('not-the-token-of-this-server');
  await button(page, visit.t('unlock.open')).click();
  await page.getByRole('alert').waitFor();
  await visit.shot('wrong');
  await field.fill(TOKEN);
  await button(page, visit.t('unlock.open')).click();
  await field.waitFor({ state: 'detached' });
  await page.goto(`${program.url}/settings`);
  await button(page, visit.t('settings.lock')).waitFor();
  await visit.shot('lock');
}

async function seeTrash(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const { entries } = await program.call('GET', '/trash');
  if (!entries.some(({ kind }) => kind === 'project')) {
    const branches = `/projects/${story.trees.id}/branches`;
    await program.call('POST', branches, { name: 'a branch that nobody needs', fromRef: 'shorter' });
    await program.call('DELETE', `${branches}/${encodeURIComponent('a branch that nobody needs')}`);
    const { project } = await program.call('POST', '/projects', { name: 'A project with a rather long name' });
    const [said] = (
      await program.call('POST', `/nodes/${project.id}/append`, {
        messages: [{ role: 'user', content: 'Why do leaves fall, and what does a tree gain from letting them go?' }],
      })
    ).nodes;
    await program.call('DELETE', `/projects/${project.id}/nodes/${said.id}`);
    await program.call('DELETE', `/projects/${project.id}`);
  }
  const page = await visit.open(`${program.url}/trash`);
  await page.locator('.trash-list li').first().waitFor();
  await visit.shot();
  await button(page, visit.t('trash.purgeAll')).click();
  await page.getByRole('dialog').waitFor();
  await visit.shot('empty');
}

export const pages = [
  { name: 'home-empty', views: EVERY, run: seeEmptyHome },
  { name: 'home', views: COLOURS, run: at(() => '/', heading('conversation.empty.title')) },
  { name: 'conversation', views: EVERY, run: seeConversation },
  {
    name: 'project-empty',
    views: COLOURS,
    run: at((story) => `/p/${story.blank}`, heading('conversation.empty.title')),
  },
  { name: 'settings', views: EVERY, run: at(() => '/settings', heading('settings.providers')) },
  { name: 'provider', views: COLOURS, run: seeProvider },
  { name: 'trash', views: [...SIZED, ...COLOURS.slice(2)], run: seeTrash },
  { name: 'diagnostics', views: EVERY, run: at(() => '/diagnostics', heading('diagnostics.rejections')) },
  {
    name: 'compare',
    views: [...SIZED, ...COLOURS.slice(2)],
    run: at(
      ({ trees }) => `/p/${trees.id}/compare/main/shorter`,
      async (visit) => {
        await visit.page().locator('.compare .prose').first().waitFor();
        await formatted(visit.page());
      },
    ),
  },
  { name: 'compare-missing', views: LAPTOP, run: at(({ trees }) => `/p/${trees.id}/compare/main/nowhere`, alert) },
  { name: 'no-branch', views: BOTH, run: at(({ trees }) => `/p/${trees.id}/b/nowhere`, alert) },
  { name: 'no-project', views: BOTH, run: at(() => '/p/11111111-1111-4111-8111-111111111111', alert) },
  {
    name: 'no-page',
    views: BOTH,
    run: at(
      () => '/no/such/page',
      (visit) => visit.page().locator('#root > *').first().waitFor(),
    ),
  },
  { name: 'unlock', views: COLOURS, run: seeUnlock },
];
