// Files: in a draft, in a message, opened, and refused.
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { button, composer, dialogOf, send, showAndClose, startProject } from '../hands.mjs';
import { BOTH, COLOURS, EVERY, LAPTOP } from '../views.mjs';

const { module: samples } = await runnerImport(join(import.meta.dirname, '../../../src/testing/sample-files.ts'));
const PICTURE = samples.samplePicture('A meadow behind the house, seen from the north.png', 640, 400);
const TALL = samples.samplePicture('tall.png', 120, 600, 138, 90, 0);
const PAPER = samples.samplePdf('tides-and-trees.pdf', 'Tides and trees');
const NOTES = samples.sampleText('notes.md', `# Notes\n\n${'Bark is not leaf, and leaf is not bark.\n'.repeat(40)}`);

async function attach(visit, ...files) {
  const page = visit.page();
  await page.locator('form.composer input[type="file"][multiple]').setInputFiles(files);
  await page
    .locator('.file-chip:not(:has(progress))')
    .nth(files.length - 1)
    .waitFor();
}

async function seeDraft(visit) {
  await startProject(visit);
  await attach(visit, PICTURE, TALL, PAPER, NOTES);
  await composer(visit).fill('What do these have in common?');
  await visit.shot();
}

async function seeMessage(visit) {
  const page = await startProject(visit);
  await attach(visit, PICTURE, TALL, PAPER, NOTES);
  await send(visit, 'What do these have in common? /sim say They are all of one piece.');
  await page.locator('.reply-footer').last().waitFor();
  await visit.shot();
}

const seeLarge = (at, ready) => async (visit) => {
  const page = await startProject(visit);
  await attach(visit, PICTURE, PAPER, NOTES);
  await send(visit, '/sim say seen');
  await page.locator('.reply-footer').last().waitFor();
  await page.locator('.user .files li').nth(at).getByRole('button').click();
  const dialog = await dialogOf(visit);
  await dialog.locator(ready).waitFor();
  await showAndClose(visit, dialog);
};

async function seeAlt(visit) {
  await startProject(visit);
  await attach(visit, PICTURE);
  await visit.page().locator('button.file-open').click();
  await showAndClose(visit, await dialogOf(visit));
}

/** A picture that the model drew, between its words. */
async function seeMade(visit) {
  const page = await startProject(visit, {
    provider: 'simulated_responses',
    providerTools: [{ tool: 'image_generation' }],
  });
  await send(visit, 'Draw a hill.\n/sim image a green hill under a wide sky, in the evening\n/sim say There it is.');
  await page.locator('.reply-footer').last().waitFor();
  await visit.shot();
}

/** A PDF that the provider fetched, beside what the reply says of it. */
async function seeFetched(visit) {
  const page = await startProject(visit, { provider: 'simulated', providerTools: [{ tool: 'web_fetch' }] });
  await send(visit, 'Read this.\n/sim fetch https://example.com/trees.pdf?pages=12\n/sim say Trees branch.');
  await page.locator('.reply-footer').last().waitFor();
  await visit.shot();
}

async function seeRefused(visit) {
  const page = await startProject(visit);
  const broken = { name: 'broken.png', mimeType: 'image/png', buffer: PICTURE.buffer.subarray(0, 60) };
  await page.locator('form.composer input[type="file"][multiple]').setInputFiles([broken, NOTES]);
  await page.locator('.file-chip[data-failed]').waitFor();
  await send(visit, 'Without it?');
  await page.getByText(visit.t('files.failed')).waitFor();
  await visit.shot();
}

async function seeNotTaken(visit) {
  const page = await startProject(visit, { provider: 'simulated_chat', model: 'sim-plain' });
  await attach(visit, PICTURE, NOTES);
  await page.locator('.files-fate').waitFor();
  await visit.shot();
  await button(page, visit.t('files.fate.leaveOut')).click();
  await button(page, visit.t('files.fate.asText')).waitFor();
  await visit.shot('left-out');
}

async function seeEdit(visit) {
  const page = await startProject(visit);
  await attach(visit, PICTURE, NOTES);
  await send(visit, '/sim say seen');
  await page.locator('.reply-footer').last().waitFor();
  await page.locator('.user').hover();
  await button(page.locator('.user'), visit.t('reply.edit')).click();
  await page.locator('.user-edit').waitFor();
  await visit.shot();
}

async function seeDrop(visit) {
  const page = await startProject(visit);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'x.txt'));
    document.body.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: data }));
  });
  await page.locator('.drop-zone').waitFor();
  await visit.shot();
}

export const files = [
  { name: 'files-draft', views: EVERY, run: seeDraft },
  { name: 'files-message', views: EVERY, run: seeMessage },
  { name: 'files-picture', views: BOTH, run: seeLarge(0, 'img') },
  { name: 'files-pdf', views: COLOURS, run: seeLarge(1, 'canvas') },
  { name: 'files-text', views: BOTH, run: seeLarge(2, '.file-text') },
  { name: 'files-alt', views: BOTH, run: seeAlt },
  { name: 'files-made', views: EVERY, run: seeMade },
  { name: 'files-fetched', views: BOTH, run: seeFetched },
  { name: 'files-refused', views: COLOURS, run: seeRefused },
  { name: 'files-not-taken', views: COLOURS, run: seeNotTaken },
  { name: 'files-edit', views: BOTH, run: seeEdit },
  { name: 'files-drop', views: LAPTOP, run: seeDrop },
];
