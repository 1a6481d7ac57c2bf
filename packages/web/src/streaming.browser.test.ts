import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  ask,
  button,
  composer,
  ended,
  ENDLESS,
  eventually,
  expectToGrowInto,
  manyWords,
  openConversation,
  openProject,
  recordText,
  reply,
  replyText,
  sayingSlowly,
  send,
  turn,
  userMessage,
} from './testing/page-objects.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage();
const LONG = manyWords(120);
/** Slow enough that a busy machine still catches the stream in the middle: a word group every so many milliseconds. */
const SLOW = 80;

describe('a stream', () => {
  it('WEB-1: grows on the screen, character by character, into what is stored', async () => {
    const { page, projectId } = await openProject(stage);
    const shown = await recordText(page, 1);
    await send(page, sayingSlowly(LONG, SLOW / 2));
    await button(page, en['composer.stop']).waitFor();
    await ended(page, 1);
    const texts = (await shown()).filter((text) => text !== '');
    expectToGrowInto(LONG, texts);
    expect(texts.length).toBeGreaterThan(5);
    const history = await stage.server.client.history(projectId, { ref: 'main' });
    expect(history.groups[0]?.reply.at(-1)?.content).toBe(LONG);
    expect(await button(page, en['composer.stop']).count()).toBe(0);
  });

  it('WEB-1: survives a reload in the middle without losing or doubling a character', async () => {
    const { page } = await openProject(stage);
    await send(page, sayingSlowly(LONG, SLOW));
    await replyText(page, 1).getByText('word20 ').waitFor();
    await page.reload();
    const shown = await recordText(page, 1);
    await replyText(page, 1).getByText('word0 ').waitFor();
    expect(await reply(page, 1).locator('.reply-footer').count()).toBe(0);
    await ended(page, 1);
    expectToGrowInto(LONG, await shown());
  });

  it('WEB-1: is the same in two tabs, and one that was sent in one appears in the other', async () => {
    const { page, projectId } = await openProject(stage);
    const other = await page.context().newPage();
    await other.goto(`${stage.server.url}/p/${projectId}/b/main`);
    await composer(other).waitFor();
    const shown = await Promise.all([recordText(page, 1), recordText(other, 1)]);
    await send(page, sayingSlowly(LONG, SLOW));
    await replyText(other, 1).getByText('word5 ').waitFor();
    await Promise.all([ended(page, 1), ended(other, 1)]);
    for (const texts of await Promise.all(shown.map((read) => read())))
      expectToGrowInto(
        LONG,
        texts.filter((text) => text !== ''),
      );
  });

  it('WEB-1: survives a server that stops and starts again; what was shown is kept, and the reply can be continued', async () => {
    stage.allow(
      /ERR_CONNECTION_REFUSED/,
      /ERR_INCOMPLETE_CHUNKED_ENCODING/,
      /ERR_CONNECTION_RESET/,
      /ERR_EMPTY_RESPONSE/,
    );
    const { page, projectId } = await openProject(stage);
    await send(page, sayingSlowly(LONG, SLOW));
    await replyText(page, 1).getByText('word20 ').waitFor();
    const before = await replyText(page, 1).innerText();
    await stage.server.stop();
    await stage.server.start();
    await reply(page, 1).getByText(en['reply.interrupted']).waitFor();
    const after = await replyText(page, 1).innerText();
    expect(after.startsWith(before)).toBe(true);
    expect(LONG.startsWith(after)).toBe(true);
    const history = await stage.server.client.history(projectId, { ref: 'main' });
    expect(history.groups[0]?.reply.at(-1)?.content.trimEnd()).toBe(after);
    await button(reply(page, 1), en['reply.continue']).click();
    await ended(page, 2);
    expect((await replyText(page, 2).innerText()).trim()).not.toBe('');
    expect(await turn(page, 2).getByText(en['reply.interrupted']).count()).toBe(0);
  });

  it('WEB-24: can be stopped: the reply says so, keeps what came, and can be continued', async () => {
    const { page } = await openProject(stage);
    await send(page, sayingSlowly(LONG, SLOW));
    await replyText(page, 1).getByText('word10 ').waitFor();
    await button(page, en['composer.stop']).click();
    await reply(page, 1).getByText(en['reply.stopped']).waitFor();
    expect(await replyText(page, 1).first().innerText()).toMatch(/^word0 word1 .*word10 /);
    await button(reply(page, 1), en['reply.continue']).click();
    await ended(page, 2);
    expect((await replyText(page, 2).innerText()).trim()).not.toBe('');
    await composer(page).waitFor();
  });
});

describe('the composer', () => {
  it('WEB-2: a message that is sent while another runs waits for it, can be removed, and goes out after it', async () => {
    const { page } = await openProject(stage);
    await send(page, ENDLESS);
    await replyText(page, 1).getByText('word3 ').waitFor();
    await send(page, 'not this one');
    await button(page, en['composer.queued.remove']).click();
    await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe('composer');
    await send(page, '/sim say the second answer');
    await page.getByText(en['composer.queued']).waitFor();
    await button(page, en['composer.stop']).click();
    await ended(page, 2);
    expect(await replyText(page, 2).innerText()).toBe('the second answer');
    expect(await userMessage(page, 2).locator('.user-text').innerText()).toBe('/sim say the second answer');
  });

  it('WEB-2: keeps a draft per branch, over a reload', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim say hello']);
    await stage.server.client.createBranch(projectId, { name: 'side', fromRef: 'main' });
    await composer(page).fill('a thought for main');
    await page.goto(`${stage.server.url}/p/${projectId}/b/side`);
    await composer(page).fill('a thought for side');
    await page.reload();
    await eventually(() => composer(page).inputValue()).toBe('a thought for side');
    await page.goto(`${stage.server.url}/p/${projectId}/b/main`);
    await eventually(() => composer(page).inputValue()).toBe('a thought for main');
    await ask(page, '/sim say sent', 2);
    await page.reload();
    await ended(page, 2);
    expect(await composer(page).inputValue()).toBe('');
  });
});

describe('a reply that fails', () => {
  it('WEB-24: says what went wrong, and Retry gets an answer', async () => {
    const { page } = await openProject(stage);
    await ask(page, 'hello /sim fault 400 x1', 1);
    const problem = reply(page, 1).getByRole('alert');
    await problem.getByText(en['reply.error']).waitFor();
    await button(problem, en['reply.retry']).click();
    await replyText(page, 1).first().waitFor();
    await ended(page, 1);
    expect(await reply(page, 1).getByRole('alert').count()).toBe(0);
    expect(await replyText(page, 1).first().innerText()).not.toBe('');
  });

  it('WEB-24: that breaks off keeps what came before, with the error behind it', async () => {
    const { page } = await openProject(stage, { thinking: 'off' });
    await ask(page, '/sim fault cut 5 /sim say these words come before the line is cut in the middle of it all', 1);
    await reply(page, 1).getByRole('alert').waitFor();
    expect(await replyText(page, 1).first().innerText()).toMatch(/^these words/);
  });
});
