// What is next to the conversation.
import { button, composer, exact, readBranch, showPanel, showSidebar } from '../hands.mjs';
import { BOTH, COLOURS, EVERY, SIZED } from '../views.mjs';

async function seeGraph(visit) {
  const page = await readBranch(visit);
  const panel = await showPanel(visit, 'graph');
  const point = panel.getByRole('treeitem').last();
  await point.waitFor();
  await visit.shot();
  await point.focus();
  await visit.shot('message');
  await button(page, visit.t('graph.zoomIn')).click();
  await visit.shot('zoomed');
}

async function seeLongGraph(visit) {
  await readBranch(visit, 'main', {}, 'long');
  const panel = await showPanel(visit, 'graph');
  await panel.getByRole('treeitem').first().waitFor();
  await visit.shot();
}

async function seeContext(visit) {
  await readBranch(visit, 'summarised');
  const panel = await showPanel(visit, 'context');
  await panel.getByRole('meter').waitFor();
  await visit.shot();
  for (const key of ['context.whatIf', 'context.diff', 'context.json']) {
    const part = panel.getByText(visit.t(key), { exact: true });
    await part.click();
    await part.scrollIntoViewIfNeeded();
    await visit.shot(key.split('.')[1].toLowerCase());
  }
}

/** On a branch made for it: what is left out must not change what other steps see. */
async function seeChoices(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const name = `chosen ${visit.view.name}`;
  const here = `/projects/${story.trees.id}`;
  await program.call('POST', `${here}/branches`, { name, fromRef: 'shorter' });
  const { report } = await program.call('POST', `${here}/context/report`, { ref: name });
  const [first, answer, second] = report.filter(({ role }) => role !== 'system');
  const choices = { [first.nodeId]: 'leave_out', [answer.nodeId]: 'leave_out', [second.nodeId]: 'pin' };
  await program.call('PATCH', `${here}/branches/${encodeURIComponent(name)}`, { choices });
  await readBranch(visit, name);
  const panel = await showPanel(visit, 'context');
  await panel.getByRole('meter').waitFor();
  await panel.getByRole('button', exact(visit.t('choose.several'))).click();
  await panel.getByRole('checkbox').nth(1).check();
  await visit.shot();
}

async function seeDetails(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/p/${story.trees.id}/b/main?node=${story.trees.early}`, {
    developer: true,
  });
  await page.locator('.reply-footer').first().waitFor();
  const panel = await showPanel(visit, 'details');
  await panel.getByRole('heading', exact(visit.t('details.calls'))).waitFor();
  await visit.shot();
  await panel.getByRole('heading', exact(visit.t('details.calls'))).scrollIntoViewIfNeeded();
  await visit.shot('calls');
}

async function seeSidebar(visit) {
  await readBranch(visit);
  await showSidebar(visit);
  await visit.shot();
}

/** Many newer ones are above it. */
async function seeOldProject(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/p/${story.old}`);
  await composer(visit).waitFor();
  await showSidebar(visit);
  await page.getByRole('tree', exact(visit.t('branches.title'))).waitFor();
  await visit.shot();
}

async function seeSearch(visit) {
  const page = await readBranch(visit);
  const search = await showSidebar(visit);
  await search.fill('week 1');
  await page.getByText('Notes of week 19').waitFor();
  await visit.shot('found');
  await search.fill('nothing has this name');
  await page.getByText(visit.t('search.none')).waitFor();
  await visit.shot('nothing');
}

async function seeArchive(visit) {
  const page = await readBranch(visit);
  await showSidebar(visit);
  await page.locator('.archived summary').click();
  await page.getByRole('link', exact('Finished long ago')).scrollIntoViewIfNeeded();
  await visit.shot();
}

async function seeLongNames(visit) {
  const { story } = await visit.worlds.visit('story');
  const page = await readBranch(visit, story.named.branch, {}, 'named');
  await visit.shot();
  await showSidebar(visit);
  await visit.shot('sidebar');
  if (visit.view.isTouch) await page.locator('.sidebar .scrim').click();
  for (const panel of ['graph', 'context', 'details']) {
    await showPanel(visit, panel);
    await visit.shot(panel);
  }
}

export const panels = [
  { name: 'graph', views: EVERY, run: seeGraph },
  { name: 'graph-long', views: BOTH, run: seeLongGraph },
  { name: 'context', views: COLOURS, run: seeContext },
  { name: 'choices', views: COLOURS, run: seeChoices },
  { name: 'details', views: SIZED, run: seeDetails },
  { name: 'sidebar', views: EVERY.filter(({ isTouch }) => isTouch), run: seeSidebar },
  { name: 'old-project', views: BOTH, run: seeOldProject },
  { name: 'search', views: COLOURS, run: seeSearch },
  { name: 'archive', views: BOTH, run: seeArchive },
  { name: 'long-names', views: SIZED, run: seeLongNames },
];
