// Presets, prompts, the defaults of a project and titles.
import { button, composer, dialogOf, exact, readBranch, showAndClose, showSidebar } from '../hands.mjs';
import { BOTH, EVERY } from '../views.mjs';

const PRESETS = [
  { name: 'Reviewer', provider: 'simulated', model: 'sim-plain', systemPrompt: 'Be strict.', isDefault: true },
  { name: 'A long name for the one that answers in verse, slowly', provider: 'simulated_chat', model: 'sim-thinker' },
];
const PROMPTS = [
  { title: 'Translate', text: 'Translate into {{language:French}}:\n\n{{text}}', tags: ['words'] },
  {
    title: 'Review',
    text: 'Review this change. Name what is wrong first, then what is good.',
    tags: ['code', 'daily'],
  },
];

/** The library of a world, filled once. */
async function fill(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const { presets } = await program.call('GET', '/presets');
  if (presets.length === 0) {
    for (const preset of PRESETS) await program.call('POST', '/presets', preset);
    await program.call('POST', '/prompts/import', { prompts: PROMPTS });
  }
  return { program, story };
}

async function empty(visit) {
  const { program } = await visit.worlds.visit('story');
  const { presets } = await program.call('GET', '/presets');
  for (const { id } of presets) await program.call('DELETE', `/presets/${id}`);
  const { prompts } = await program.call('GET', '/prompts');
  for (const { id } of prompts) await program.call('DELETE', `/prompts/${id}`);
}

/** What other steps show has no library. */
const withLibrary = (see) => async (visit) => {
  await fill(visit);
  try {
    await see(visit);
  } finally {
    await empty(visit);
  }
};

async function seeSettings(visit) {
  const { program } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/settings`);
  await page.getByText('Reviewer').waitFor();
  await page.locator('#presets').scrollIntoViewIfNeeded();
  await visit.shot('presets');
  await page.locator('#titles').scrollIntoViewIfNeeded();
  await page.getByText(visit.t('titles.model')).click();
  await visit.shot('titles');
}

async function seePresetDialog(visit) {
  const { program } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/settings`);
  await button(page, `${visit.t('library.edit')}: Reviewer`).click();
  await showAndClose(visit, await dialogOf(visit));
}

async function seePromptDialog(visit) {
  const { program } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/settings`);
  await button(page, `${visit.t('library.edit')}: Translate`).click();
  await showAndClose(visit, await dialogOf(visit));
}

async function seeHome(visit) {
  const { program } = await visit.worlds.visit('story');
  const page = await visit.open(program.url);
  await page.getByRole('combobox', exact(visit.t('presets.one'))).waitFor();
  await visit.shot();
}

async function seeSlash(visit) {
  const page = await readBranch(visit);
  await composer(visit).fill('/');
  await page.getByRole('listbox', exact(visit.t('prompts.title'))).waitFor();
  await visit.shot();
  await composer(visit).fill('/tr');
  await composer(visit).press('Enter');
  await showAndClose(visit, await dialogOf(visit), 'variables');
}

async function seeBranchPreset(visit) {
  const page = await readBranch(visit);
  await page.getByRole('button', { name: new RegExp(visit.t('composer.switch')) }).click();
  const dialog = await dialogOf(visit);
  await dialog.getByLabel(visit.t('presets.from')).selectOption({ label: 'Reviewer' });
  await showAndClose(visit, dialog);
}

async function seeDefaults(visit) {
  const page = await readBranch(visit);
  await composer(visit).focus();
  await page.keyboard.press('Control+k');
  await dialogOf(visit);
  await page.keyboard.type(visit.t('defaults.open'));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', exact(visit.t('defaults.title')));
  await dialog.waitFor();
  await showAndClose(visit, dialog);
}

async function seeNewProject(visit) {
  const page = await readBranch(visit);
  await showSidebar(visit);
  await button(page, visit.t('projects.new.with')).click();
  const menu = page.getByRole('menu');
  await menu.waitFor();
  await showAndClose(visit, menu);
}

export const library = [
  { name: 'library-settings', views: EVERY, run: withLibrary(seeSettings) },
  { name: 'library-home', views: EVERY, run: withLibrary(seeHome) },
  { name: 'library-slash', views: EVERY, run: withLibrary(seeSlash) },
  { name: 'library-preset', views: BOTH, run: withLibrary(seePresetDialog) },
  { name: 'library-prompt', views: BOTH, run: withLibrary(seePromptDialog) },
  { name: 'library-branch', views: BOTH, run: withLibrary(seeBranchPreset) },
  { name: 'library-new', views: BOTH, run: withLibrary(seeNewProject) },
  { name: 'library-defaults', views: BOTH, run: withLibrary(seeDefaults) },
];
