import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { whole as en } from '../i18n/later/index.ts';
import type { Stage } from './stage.ts';

// What a person does on the page, in their words. Everything is found the way a person finds it: by role and name.

export interface Place {
  readonly page: Page;
  readonly projectId: string;
}

type ProjectInput = Parameters<Stage['server']['client']['createProject']>[0];

/** A new project, opened on its first branch. */
export async function openProject(
  stage: Stage,
  project: ProjectInput = {},
  options: Parameters<Stage['open']>[1] = {},
): Promise<Place> {
  const { project: created } = await stage.server.client.createProject({ thinking: 'medium', ...project });
  const page = await stage.open(`/p/${created.id}/b/main`, options);
  await composer(page).waitFor();
  return { page, projectId: created.id };
}

/**
 * A project whose branch `main` has one finished turn per message; sent to the server directly, because how they came
 * about is not the point.
 */
export async function openConversation(
  stage: Stage,
  messages: readonly string[],
  project: ProjectInput = {},
  options: Parameters<Stage['open']>[1] = {},
): Promise<Place> {
  const { client } = stage.server;
  const { project: created } = await client.createProject({ thinking: 'medium', ...project });
  for (const message of messages) await (await client.chat(created.id, { ref: 'main', message })).text();
  const page = await stage.open(`/p/${created.id}/b/main`, options);
  await ended(page, messages.length);
  return { page, projectId: created.id };
}

/** A conversation whose second turn was imported, so that it can contain any text at all. */
export async function openImported(
  stage: Stage,
  text: string,
  options: Parameters<Stage['open']>[1] = {},
): Promise<Place> {
  const projectId = await importText(stage, text);
  const page = await stage.open(`/p/${projectId}/b/main`, options);
  await ended(page, 2);
  return { page, projectId };
}

/** The project of such a conversation. */
export async function importText({ server: { client } }: Stage, text: string): Promise<string> {
  const { project } = await client.createProject({});
  await (await client.chat(project.id, { ref: 'main', message: '/sim say start' })).text();
  const { branches } = await client.listBranches(project.id);
  await client.appendMessages(branches[0]?.tipId ?? '', {
    ref: 'main',
    messages: [
      { role: 'user', content: 'imported' },
      { role: 'assistant', content: text },
    ],
  });
  return project.id;
}

export function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: en['composer.label'], exact: true });
}

export async function send(page: Page, message: string): Promise<void> {
  await composer(page).fill(message);
  await composer(page).press('Enter');
}

/** The n-th turn of the branch, counted from one. */
export function turn(page: Page, number: number): Locator {
  return page.locator(`.turn-slot[data-index="${number - 1}"] > .turn`);
}

export function reply(page: Page, number: number): Locator {
  return turn(page, number).locator('.reply');
}

/** The text of a reply without its reasoning, as it is on the screen. */
export function replyText(page: Page, number: number): Locator {
  return reply(page, number).locator('.prose:not(.quiet)');
}

/** That text once its Markdown has been rendered; until then it is shown as it was written. */
export async function renderedText(page: Page, number: number): Promise<string> {
  await reply(page, number).locator('.prose .plain').first().waitFor({ state: 'detached' });
  return replyText(page, number).first().innerText();
}

/** For what becomes true a little later: polls, with patience for a machine that has other work to do. */
export function eventually<Value>(read: () => Promise<Value>) {
  return expect.poll(read, { timeout: 30_000, interval: 50 });
}

/** Waits until the n-th turn has ended, well or badly. */
export async function ended(page: Page, number: number): Promise<void> {
  await reply(page, number).locator('.reply-footer').waitFor();
}

export async function ask(page: Page, message: string, number: number): Promise<Locator> {
  await send(page, message);
  await ended(page, number);
  return reply(page, number);
}

export function button(within: Page | Locator, name: string): Locator {
  return within.getByRole('button', { name, exact: true });
}

/** An action of a message. The row of actions appears when the pointer is on the turn. */
export async function act(message: Locator, name: string): Promise<void> {
  await message.hover();
  await button(message, name).click();
}

export async function actFromMenu(page: Page, message: Locator, name: string): Promise<void> {
  await act(message, en['reply.more']);
  await page.getByRole('menuitem', { name, exact: true }).click();
}

export function userMessage(page: Page, number: number): Locator {
  return turn(page, number).locator('.user');
}

export async function openPanel(page: Page, panel: 'graph' | 'context' | 'details'): Promise<Locator> {
  // Its own word, not what is on the screen: a panel that is about to be drawn would be closed.
  const toggle = button(page, en['panel.toggle']);
  if ((await toggle.getAttribute('aria-pressed')) !== 'true') await toggle.click();
  await page.getByRole('tab', { name: en[`panel.${panel}`], exact: true }).click();
  return page.getByRole('tabpanel', { name: en[`panel.${panel}`], exact: true });
}

export function branchLink(page: Page, name: string): Locator {
  return page.getByRole('tree', { name: en['branches.title'] }).getByRole('link', { name: new RegExp(`^${name}`) });
}

/** Waits until the page is on this branch. */
export async function onBranch(page: Page, name: string): Promise<void> {
  await page.waitForURL((url) => url.pathname.endsWith(`/b/${encodeURIComponent(name)}`));
}

/** Remembers every text that a reply has shown from now on, frame by frame. */
export async function recordText(page: Page, number: number): Promise<() => Promise<readonly string[]>> {
  const selector = `.turn-slot[data-index="${number - 1}"] .reply .prose:not(.quiet)`;
  const handle = await page.evaluateHandle((wanted) => {
    const seen: string[] = [];
    const look = (): void => {
      // Without the space after the last word: it is there until Markdown is rendered, and gone afterwards.
      const text = Array.from(document.querySelectorAll(wanted), (element) => element.textContent.trimEnd()).join('\n');
      if (text !== seen.at(-1)) seen.push(text);
      requestAnimationFrame(look);
    };
    look();
    return seen;
  }, selector);
  return () => handle.jsonValue();
}

/** What was shown only ever grew towards the whole text: no character was lost or shown twice. */
export function expectToGrowInto(whole: string, shown: readonly string[]): void {
  let before = 0;
  for (const text of shown) {
    expect(whole.startsWith(text), `shown: ${text.slice(-120)}`).toBe(true);
    expect(text.length).toBeGreaterThanOrEqual(before);
    before = text.length;
  }
  expect(shown.at(-1)).toBe(whole);
}

/** A message that makes the simulated model say these words, with a pause after every event. */
export function sayingSlowly(words: string, pauseMs: number): string {
  return `/sim slow ${pauseMs} /sim say ${words}`;
}

/** One that goes on until it is stopped: whatever a test does meanwhile, it is in no race with the reply's end. */
export const ENDLESS = sayingSlowly(manyWords(1_000), 200);

export function manyWords(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
}

/** What a test lets happen at a moment of its choice. */
export function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
