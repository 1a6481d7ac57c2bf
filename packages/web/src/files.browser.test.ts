import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import { expectAccessible } from './testing/axe.ts';
import {
  act,
  branchLink,
  button,
  composer,
  ended,
  ENDLESS,
  eventually,
  manyWords,
  onBranch,
  openPanel,
  openProject,
  send,
  userMessage,
} from './testing/page-objects.ts';
import type { SampleFile } from './testing/sample-files.ts';
import { samplePdf, samplePicture, sampleSound, sampleText } from './testing/sample-files.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const PICTURE = samplePicture('meadow.png', 320, 200);
const PAPER = samplePdf('paper.pdf', 'Tides and trees');
const NOTES = sampleText('notes.md', '# Notes\n\nBark is not leaf.\n');

const chips = (page: Page): Locator => page.getByRole('list', { name: en['files.attached'] }).getByRole('listitem');
const files = (page: Page, number: number): Locator =>
  userMessage(page, number).getByRole('list', { name: en['files.list'] }).getByRole('listitem');

async function attach(page: Page, ...given: readonly SampleFile[]): Promise<void> {
  const before = await chips(page).count();
  await page.locator('form.composer input[type="file"][multiple]').setInputFiles([...given]);
  await ready(page, before + given.length);
}

/** All of them have arrived: each can be opened. */
async function ready(page: Page, count: number): Promise<void> {
  await eventually(() => chips(page).locator('button.file-open').count()).toBe(count);
}

/** Files that are held over the page, as a browser hands them to it. */
async function drop(page: Page, type: 'paste' | 'drop', { name, mimeType, buffer }: SampleFile): Promise<void> {
  const base64 = buffer.toString('base64');
  await page.evaluate(
    ({ kind, file }) => {
      const bytes = Uint8Array.from(atob(file.base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], file.name, { type: file.mimeType }));
      const target = document.getElementById('composer') ?? document.body;
      const options = { bubbles: true, cancelable: true };
      if (kind === 'paste') target.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }));
      else
        for (const step of ['dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(step, { ...options, dataTransfer: data }));
    },
    { kind: type, file: { name, mimeType, base64 } },
  );
}

describe('files', () => {
  it('WEB-160: that are chosen show how they are, go out with the message, and stay in it', async () => {
    const { page, projectId } = await openProject(stage);
    await attach(page, PICTURE, PAPER, NOTES);
    await eventually(() => chips(page).locator('.file-name').allInnerTexts()).toEqual([
      'meadow.png',
      'paper.pdf',
      'notes.md',
    ]);
    expect(await chips(page).nth(0).innerText()).toMatch(/320 × 200/);
    expect(await chips(page).nth(1).innerText()).toContain(en['files.page']);
    await expectAccessible(page, 'files of a draft');
    await send(page, '/sim say seen');
    await ended(page, 1);
    expect(await chips(page).count()).toBe(0);
    for (const when of ['at once', 'after a reload']) {
      if (when === 'after a reload') await page.reload();
      await eventually(() => files(page, 1).count()).toBe(3);
      const shown = userMessage(page, 1).getByRole('img', { name: 'meadow.png' });
      await eventually(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320);
    }
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups[0]?.user?.contentBlocks.map(({ type }) => type)).toEqual(['image', 'document', 'file', 'text']);
    await expectAccessible(page, 'files of a message');
  });

  it('WEB-323: that are a pile of pictures are small, side by side; two are large', async () => {
    const { page } = await openProject(stage);
    const height = async (number: number, count: number): Promise<number> => {
      const given = Array.from({ length: count }, (_, at) => samplePicture(`${at}.png`, 600, 400 + at));
      await attach(page, ...given);
      await send(page, '/sim say seen');
      await ended(page, number);
      const list = userMessage(page, number).getByRole('list', { name: en['files.list'] });
      return list.evaluate((each) => each.getBoundingClientRect().height);
    };
    const two = await height(1, 2);
    expect(await height(2, 6)).toBeLessThan(two);
  });

  it('WEB-795: pictures have their size before they are loaded, so that nothing moves when they are', async () => {
    const { page } = await openProject(stage);
    await attach(page, samplePicture('wide.png', 600, 400), samplePicture('small.png', 60, 40));
    let load = (): void => undefined;
    const loading = new Promise<void>((resolve) => (load = resolve));
    await page.route(/\/api\/blobs\//, async (route) => {
      await loading;
      await route.continue();
    });
    await send(page, '/sim say seen');
    await ended(page, 1);
    const pictures = userMessage(page, 1).locator('.file-picture img');
    const sizes = () =>
      pictures.evaluateAll((all) => all.map((each) => [each.clientWidth, each.clientHeight].map(Math.round)));
    const before = await sizes();
    expect(before[1]).toEqual([60, 40]);
    load();
    await eventually(() =>
      pictures.evaluateAll((all) => all.every((each) => each instanceof HTMLImageElement && each.naturalWidth > 0)),
    ).toBe(true);
    expect(await sizes()).toEqual(before);
  });

  it('WEB-160: alone are a message', async () => {
    const { page } = await openProject(stage);
    await attach(page, PICTURE);
    await button(page, en['composer.send']).click();
    await ended(page, 1);
    expect(await files(page, 1).count()).toBe(1);
    expect(await userMessage(page, 1).locator('.user-text').count()).toBe(0);
  });

  it('WEB-161: can be pasted, and dropped anywhere without leaving the page', async () => {
    const { page } = await openProject(stage);
    const address = page.url();
    await drop(page, 'paste', PICTURE);
    await ready(page, 1);
    await drop(page, 'drop', NOTES);
    await ready(page, 2);
    expect(page.url()).toBe(address);
    expect(await page.locator('.drop-zone').count()).toBe(0);
  });

  it.each(['/settings', '/import', '/trash', '/question-sets', '/diagnostics'])(
    'WEB-161: a page without a composer (%s) is not left when one is dropped on it, either',
    async (path) => {
      const page = await stage.open(path);
      await page.getByRole('main').waitFor();
      const isLeft = await page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['x'], 'x.txt'));
        const options = { bubbles: true, cancelable: true, dataTransfer };
        const target = document.querySelector('main') ?? document.body;
        // False: somebody kept the browser from doing what it does by itself.
        return ['dragover', 'drop'].map((step) => target.dispatchEvent(new DragEvent(step, options)));
      });
      expect(isLeft).toEqual([false, false]);
    },
  );

  it('WEB-161: begin a project, and are in its first message', async () => {
    const page = await stage.open('/');
    await composer(page).waitFor();
    await attach(page, PICTURE);
    await send(page, '/sim say seen');
    await onBranch(page, 'main');
    await ended(page, 1);
    expect(await files(page, 1).count()).toBe(1);
    await page.goto(stage.server.url);
    await composer(page).waitFor();
    expect(await chips(page).count()).toBe(0);
  });

  it('WEB-162: of a draft survive a reload, and can be removed', async () => {
    const { page } = await openProject(stage);
    await attach(page, PICTURE, NOTES);
    await composer(page).fill('half a sentence');
    await page.reload();
    await ready(page, 2);
    expect(await composer(page).inputValue()).toBe('half a sentence');
    await button(page, en['files.remove'].replace('{name}', 'notes.md')).click();
    await eventually(() => chips(page).locator('.file-name').allInnerTexts()).toEqual(['meadow.png']);
    expect(await composer(page).evaluate((element) => document.activeElement === element)).toBe(true);
  });

  it('WEB-167: that are on their way arrive while another branch is open, and a refusal waits there, too', async () => {
    const { page, projectId } = await openProject(stage);
    stage.allow(/422/);
    await stage.server.client.createBranch(projectId, { name: 'aside', fromRef: 'main' });
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/blobs?*', (route) => void held.push(() => route.continue()));
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: PICTURE.buffer.subarray(0, 60) };
    await page.locator('form.composer input[type="file"][multiple]').setInputFiles([PICTURE, broken]);
    await eventually(async () => held.length).toBe(2);
    await branchLink(page, 'aside').click();
    await onBranch(page, 'aside');
    expect(await chips(page).count()).toBe(0);
    // Asked before it closes: these files are nowhere else.
    const asks = await page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(asks).toBe(true);
    await Promise.all(held.map((go) => go()));
    await branchLink(page, 'main').click();
    await onBranch(page, 'main');
    await ready(page, 1);
    await chips(page).getByRole('alert').waitFor();
    expect(await chips(page).locator('.file-name').allInnerTexts()).toEqual(['meadow.png', 'broken.png']);
    expect(await page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(true);
  });

  it('WEB-168: that are attached, removed or sent in one tab are so in another one', async () => {
    const { page, projectId } = await openProject(stage);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await composer(other).waitFor();
    await attach(page, PICTURE, NOTES);
    await ready(other, 2);
    await button(other, en['files.remove'].replace('{name}', 'notes.md')).click();
    await eventually(() => chips(page).locator('.file-name').allInnerTexts()).toEqual(['meadow.png']);
    await attach(other, PAPER);
    await ready(page, 2);
    await send(page, '/sim say seen');
    await eventually(() => chips(other).count()).toBe(0);
    await ended(page, 1);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups[0]?.user?.contentBlocks.map(({ type }) => type)).toEqual(['image', 'document', 'text']);
  });

  it('WEB-162: wait with a message that is queued', async () => {
    const { page, projectId } = await openProject(stage);
    await send(page, ENDLESS);
    await attach(page, PICTURE);
    await send(page, '/sim say second');
    await page.getByRole('list', { name: en['composer.queued'] }).getByText('meadow.png').waitFor();
    await button(page, en['composer.stop']).click();
    await ended(page, 2);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups[1]?.user?.contentBlocks.map(({ type }) => type)).toEqual(['image', 'text']);
  });

  it('WEB-163: open large: a picture, the first page of a PDF, the beginning of a text', async () => {
    const { page } = await openProject(stage);
    await attach(page, PICTURE, PAPER, NOTES);
    await send(page, '/sim say seen');
    await ended(page, 1);
    const dialog = page.getByRole('dialog');
    await files(page, 1).nth(0).getByRole('button').click();
    await dialog.getByRole('img', { name: 'meadow.png' }).waitFor();
    await expectAccessible(page, 'a picture');
    await page.keyboard.press('Escape');
    await files(page, 1).nth(1).getByRole('button').click();
    const drawn = dialog.getByRole('img', { name: en['files.pdf.page'].replace('{name}', 'paper.pdf') });
    await drawn.waitFor({ timeout: 30_000 });
    const dark = await drawn.evaluate((canvas: HTMLCanvasElement) => {
      const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return pixels.filter((value, at) => at % 4 === 0 && value < 100).length;
    });
    expect(dark).toBeGreaterThan(200);
    await page.keyboard.press('Escape');
    await files(page, 1).nth(2).getByRole('button').click();
    await dialog.getByText('Bark is not leaf.').waitFor();
    await expectAccessible(page, 'a text');
  });

  it('WEB-163: sound can be played', async () => {
    const { page } = await openProject(stage);
    await attach(page, sampleSound('voice.wav', 2));
    await send(page, '/sim say heard');
    await ended(page, 1);
    await files(page, 1).getByRole('button').click();
    const player = page.getByRole('dialog').locator('audio');
    await eventually(() => player.evaluate((audio: HTMLAudioElement) => audio.duration)).toBe(2);
  });

  it('WEB-163: a picture gets an alternative text while it is part of a draft', async () => {
    const { page } = await openProject(stage);
    await attach(page, PICTURE);
    await chips(page).locator('button.file-open').click();
    await page.getByRole('textbox', { name: en['files.alt'] }).fill('A green meadow');
    await button(page, en['dialog.close']).click();
    await send(page, '/sim say seen');
    await ended(page, 1);
    await userMessage(page, 1).getByRole('img', { name: 'A green meadow' }).waitFor();
  });

  it('WEB-164: that cannot be attached say why, and nothing is sent without them unasked', async () => {
    const { page } = await openProject(stage);
    stage.allow(/422/);
    await page
      .locator('form.composer input[type="file"][multiple]')
      .setInputFiles({ name: 'broken.png', mimeType: 'image/png', buffer: PICTURE.buffer.subarray(0, 60) });
    await chips(page).getByRole('alert').waitFor();
    await send(page, '/sim say without');
    await page.getByText(en['files.failed']).waitFor();
    expect(await composer(page).inputValue()).toBe('/sim say without');
    await button(page, en['files.remove'].replace('{name}', 'broken.png')).click();
    expect(await page.getByText(en['files.failed']).count()).toBe(0);
    await composer(page).press('Enter');
    await ended(page, 1);
  });

  it('WEB-164: that are on their way hold a message up, and that is told for as long as it is so', async () => {
    const { page } = await openProject(stage);
    const held: (() => Promise<void>)[] = [];
    await page.route('**/api/blobs?*', (route) => void held.push(() => route.continue()));
    await page.locator('form.composer input[type="file"][multiple]').setInputFiles(PICTURE);
    await eventually(async () => held.length).toBe(1);
    await send(page, '/sim say seen');
    await page.getByText(en['files.waiting']).waitFor();
    await Promise.all(held.map((go) => go()));
    await ready(page, 1);
    expect(await page.getByText(en['files.waiting']).count()).toBe(0);
    await composer(page).press('Enter');
    await ended(page, 1);
  });

  it('WEB-164: a folder that is dropped says that its files are to be chosen', async () => {
    const { page } = await openProject(stage);
    const folder = await mkdtemp(join(tmpdir(), 'bough-folder-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const hands = await page.context().newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await hands.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
    expect(await chips(page).getByRole('alert').innerText()).toContain('Of a folder, choose the files in it');
  });

  it('WEB-165: stay with a message that is edited, and others can join them', async () => {
    const { page, projectId } = await openProject(stage);
    await attach(page, PICTURE, NOTES);
    await send(page, '/sim say first');
    await ended(page, 1);
    await act(userMessage(page, 1), en['reply.edit']);
    const form = page.locator('form.user-edit');
    await eventually(() => form.locator('button.file-open').count()).toBe(2);
    await form.getByRole('button', { name: en['files.remove'].replace('{name}', 'notes.md') }).click();
    await form.getByRole('textbox').fill('/sim say again');
    await form.getByRole('button', { name: en['edit.save'] }).click();
    await eventually(async () => {
      const { branches } = await stage.server.client.listBranches(projectId);
      return branches.length;
    }).toBe(2);
    await eventually(() => files(page, 1).count()).toBe(1);
  });

  it('WEB-285: that the model does not take are named before they are sent, with what it gets and what can be done', async () => {
    const { page, projectId } = await openProject(stage, { provider: 'simulated_chat', model: 'sim-plain' });
    const fate = page.locator('.composer .files-fate');
    await attach(page, NOTES);
    expect(await fate.count()).toBe(0);
    await attach(page, PICTURE, PAPER);
    await eventually(() => fate.innerText()).toMatch(/text.*: paper\.pdf\s+Only named.*: meadow\.png/s);
    await expectAccessible(page, 'files that the model does not take');
    await button(fate, en['files.fate.leaveOut']).click();
    await eventually(() => fate.innerText()).toMatch(/^Left out.*: meadow\.png, paper\.pdf/);
    await send(page, '/sim say seen');
    await ended(page, 1);
    const { request } = await stage.server.client.context(projectId, { ref: 'main', message: 'x' });
    expect(request.body).not.toContain('paper.pdf');
    const choice = (await openPanel(page, 'details')).getByRole('checkbox', { name: en['details.files'] });
    expect(await choice.isChecked()).toBe(true);
    await choice.click();
    await eventually(() => choice.isChecked()).toBe(false);
    await act(userMessage(page, 1), en['reply.edit']);
    await eventually(() => page.locator('.user-edit .files-fate').innerText()).toContain('paper.pdf');
  });

  it('WEB-166: are part of what the context panel shows before they are sent', async () => {
    const { page } = await openProject(stage);
    const panel = await openPanel(page, 'context');
    await attach(page, PICTURE);
    await panel.getByText(en['context.draft']).waitFor();
    await panel.getByText(en['context.json'], { exact: true }).first().click();
    await panel
      .getByText(/meadow\.png|image/)
      .first()
      .waitFor();
  });

  it('WEB-169: that the model makes are shown in their places, while the reply arrives and later', async () => {
    const { page } = await openProject(stage, {
      provider: 'simulated_responses',
      providerTools: [{ tool: 'image_generation' }],
      thinking: 'off',
    });
    await send(page, `/sim image an oak at dusk\n/sim slow 150\n/sim say ${manyWords(1_000)}`);
    const drawn = page.getByRole('img', { name: 'an oak at dusk' });
    const width = () => drawn.evaluate((image: HTMLImageElement) => image.naturalWidth);
    await drawn.waitFor();
    await eventually(width).toBe(320);
    expect(await page.locator('.reply-footer').count(), 'it was shown before the end').toBe(0);
    await button(page, en['composer.stop']).click();
    await page.locator('.reply-footer').first().waitFor();
    await page.reload();
    await eventually(width).toBe(320);
    expect(await drawn.getAttribute('src')).toMatch(/^\/api\/blobs\/[0-9a-f]{64}\?project=/);
    await expectAccessible(page, 'a drawn picture');
    await drawn.click();
    await page.getByRole('dialog', { name: 'picture.png' }).getByRole('img').waitFor();
    await expectAccessible(page, 'a drawn picture, large');
  });
});
