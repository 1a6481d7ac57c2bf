// Dialogs, the palette, and the forms that open in the page.
import { button, composer, dialogOf, exact, readBranch, showAndClose } from '../hands.mjs';
import { BOTH, COLOURS, LAPTOP, SIZED } from '../views.mjs';

async function openSwitch(visit) {
  const page = await readBranch(visit);
  await page.getByRole('button', { name: new RegExp(visit.t('composer.switch')) }).click();
  return dialogOf(visit);
}

async function seeBranchDialog(visit) {
  const dialog = await openSwitch(visit);
  await showAndClose(visit, dialog);
}

async function seeSwitchPreview(visit) {
  const dialog = await openSwitch(visit);
  await dialog.getByRole('combobox', { name: visit.t('branch.model') }).selectOption('sim-plain');
  await dialog.getByRole('heading', exact(visit.t('branch.preview'))).waitFor();
  await visit.shot();
  await dialog.getByText(visit.t('branch.preview.list')).click();
  await dialog.getByText(visit.t('branch.preview.list')).scrollIntoViewIfNeeded();
  await showAndClose(visit, dialog, 'list');
}

/** The model is one that the simulator serves and no catalogue lists; the branch is left behind. */
async function seeModelNotice(visit) {
  const dialog = await openSwitch(visit);
  const models = dialog.getByRole('combobox', { name: visit.t('branch.model') });
  await models.selectOption({ label: visit.t('branch.model.other') });
  const id = dialog.getByRole('textbox', exact(visit.t('branch.model.id')));
  await id.fill('sim-nobody');
  await button(dialog, visit.t('branch.create')).click();
  await dialog.getByRole('alert').waitFor();
  await visit.shot('missing');
  await id.fill('claude-opus-6-20270101');
  await button(dialog, visit.t('branch.create')).click();
  await visit.page().locator('.model-notices').waitFor();
  await visit.shot();
}

/** Other instructions on a branch of their own, which is left behind. */
async function seeInstructions(visit) {
  const dialog = await openSwitch(visit);
  await dialog.getByRole('textbox', { name: visit.t('branch.systemPrompt') }).fill('Answer in verse.');
  await dialog.getByText(visit.t('instructions.price.here')).waitFor();
  await dialog.getByRole('group', { name: visit.t('instructions.from') }).scrollIntoViewIfNeeded();
  await visit.shot('choice');
  await dialog.getByRole('checkbox', { name: 'calculator' }).check();
  await button(dialog, visit.t('branch.create')).click();
  await dialog.waitFor({ state: 'detached' });
  await visit.page().locator('.instructions').last().scrollIntoViewIfNeeded();
  await visit.shot();
}

async function seeBranchFromHere(visit) {
  const page = await readBranch(visit);
  const footer = page.locator('.reply-footer').first();
  await footer.hover();
  await button(footer, visit.t('reply.branch')).click();
  await showAndClose(visit, await dialogOf(visit));
}

async function seePalette(visit) {
  const page = await readBranch(visit);
  await composer(visit).focus();
  await page.keyboard.press('Control+k');
  const dialog = await dialogOf(visit);
  await visit.shot();
  await page.keyboard.type(visit.t('settings.title').slice(0, 4));
  await visit.shot('typed');
  await page.keyboard.type(' zzzz');
  await page.getByText(visit.t('palette.empty')).waitFor();
  await showAndClose(visit, dialog, 'nothing');
}

/** Its program never comes: what is typed meanwhile is taken. */
async function seePaletteEarly(visit) {
  const page = await readBranch(visit);
  await page.route(/\/assets\/commands-/, () => undefined);
  await composer(visit).focus();
  await page.keyboard.press('Control+k');
  const dialog = await dialogOf(visit);
  await page.keyboard.type('rename');
  await showAndClose(visit, dialog);
}

async function seeShortcuts(visit) {
  const page = await readBranch(visit);
  await page.getByRole('region', exact(visit.t('conversation.label'))).focus();
  await page.keyboard.press('?');
  await showAndClose(visit, await dialogOf(visit));
}

async function seeEdit(visit) {
  const page = await readBranch(visit);
  const message = page.locator('.user').last();
  await message.hover();
  await button(message, visit.t('reply.edit')).click();
  const field = page.getByRole('textbox', exact(visit.t('edit.title')));
  await field.waitFor();
  await showAndClose(visit, field);
}

async function seeSelection(visit) {
  const page = await readBranch(visit, 'for children');
  const passage = page.locator('.reply .prose:not(.quiet) p').first();
  await passage.scrollIntoViewIfNeeded();
  // Scrolling closes the form.
  await page.waitForTimeout(500);
  await passage.dblclick({ position: { x: 10, y: 10 } });
  const form = page.getByRole('form', exact(visit.t('selection.label')));
  await form.waitFor();
  await visit.shot();
}

async function seePaste(visit) {
  const page = await readBranch(visit);
  await composer(visit).focus();
  await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'A line that was copied from somewhere else. '.repeat(400));
    document.activeElement.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  });
  await composer(visit).fill('What does it say?\n\nIn two sentences, and then in a list.\n\nAnd why?');
  await visit.shot();
}

export const dialogs = [
  { name: 'branch-dialog', views: [...SIZED, ...COLOURS.slice(2)], run: seeBranchDialog },
  { name: 'switch-preview', views: COLOURS, run: seeSwitchPreview },
  { name: 'model-notice', views: COLOURS, run: seeModelNotice },
  { name: 'instructions', views: BOTH, run: seeInstructions },
  { name: 'branch-from-here', views: LAPTOP, run: seeBranchFromHere },
  { name: 'palette', views: COLOURS, run: seePalette },
  { name: 'palette-early', views: COLOURS, run: seePaletteEarly },
  { name: 'shortcuts', views: COLOURS, run: seeShortcuts },
  { name: 'edit', views: COLOURS, run: seeEdit },
  { name: 'selection', views: BOTH, run: seeSelection },
  { name: 'paste', views: BOTH, run: seePaste },
];
