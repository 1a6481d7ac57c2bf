// The project's document: written, with its versions, and with a conflict between two branches.
import { button } from '../hands.mjs';
import { BOTH } from '../views.mjs';

const PLAN =
  '# Where trees branch\n\nA bud grows where there is **light**.\n\n- oaks: forty metres\n- elms: thirty metres\n';

async function canvasProject(visit) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', { name: 'With a canvas' });
  await program.say(project.id, 'main', 'Why do trees branch where they do?');
  const at = `/projects/${project.id}/canvas`;
  const write = async (ref, text, inContext) => {
    const { canvas } = await program.call('GET', `${at}?ref=${ref}`);
    await program.call('PUT', at, { ref, text, inContext, expected: canvas?.version ?? null });
  };
  await write('main', '# Where trees branch\n', false);
  await write('main', PLAN, true);
  await program.call('POST', `/projects/${project.id}/branches`, { name: 'idea', fromRef: 'main' });
  await write('main', PLAN.replace('thirty', 'thirty-two'), true);
  await write('idea', PLAN.replace('thirty', 'twenty-nine'), true);
  return { program, project };
}

async function seeCanvas(visit) {
  const { program, project } = await canvasProject(visit);
  const page = await visit.open(`${program.url}/p/${project.id}/b/main/canvas`);
  await page.locator('.cm-content').getByText('thirty-two').waitFor();
  await visit.shot('page');
  await page.locator('.canvas-versions button').first().click();
  await page.locator('.canvas-version .diff').waitFor();
  await visit.shot('version');
  await page.locator('.canvas-merge select').selectOption({ label: 'idea' });
  await button(page, visit.t('canvas.merge.do')).click();
  await page.locator('.canvas-conflict').waitFor();
  await visit.shot('conflict');
  await page.getByRole('radio', { name: visit.t('canvas.side.both') }).check();
  await button(page, visit.t('canvas.merge.save')).click();
  await page.locator('.canvas-conflict').waitFor({ state: 'detached' });
  await visit.shot('merged');
  await page.goto(`${program.url}/p/${project.id}/b/main`);
  await page.locator('.canvas-mark').last().waitFor();
  await visit.shot('conversation');
}

export const canvas = [{ name: 'canvas', views: BOTH, run: seeCanvas }];
