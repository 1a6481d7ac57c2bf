// Everything that opens below a button, and the questions that follow from it.
import {
  button,
  choose,
  composer,
  dialogOf,
  openMessageMenu,
  openRowMenu,
  readBranch,
  showAndClose,
} from '../hands.mjs';
import { BOTH, COLOURS, LAPTOP, SIZED } from '../views.mjs';

const rowMenu = (name, branch, project) => async (visit) => {
  await readBranch(visit, branch, {}, project);
  const menu = await openRowMenu(visit, name);
  await showAndClose(visit, menu);
};

async function seeCompareMenu(visit) {
  const { story } = await visit.worlds.visit('story');
  const page = await readBranch(visit, story.named.branch, {}, 'named');
  const menu = await openRowMenu(visit, 'try 3');
  await page.getByRole('menuitem', { name: visit.t('branches.compare') }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('menu').nth(1).waitFor();
  await visit.shot();
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
}

const messageMenu = (selector) => async (visit) => {
  const page = await readBranch(visit);
  const menu = await openMessageMenu(visit, page.locator(selector).last());
  await showAndClose(visit, menu);
};

async function seeTools(visit) {
  const page = await readBranch(visit);
  await page.getByRole('button', { name: new RegExp(`^${visit.t('composer.tools')}`) }).click();
  const menu = page.getByRole('menu');
  await menu.waitFor();
  await showAndClose(visit, menu);
}

const rowQuestion = (name, key) => async (visit) => {
  await readBranch(visit);
  await openRowMenu(visit, name);
  await choose(visit, key);
  await showAndClose(visit, await dialogOf(visit));
};

const messageQuestion = (selector, key) => async (visit) => {
  const page = await readBranch(visit);
  await openMessageMenu(visit, page.locator(selector).last());
  await choose(visit, key);
  const dialog = await dialogOf(visit);
  await dialog.locator('.loading').waitFor({ state: 'detached' });
  await showAndClose(visit, dialog);
};

async function seeHints(visit) {
  const page = await readBranch(visit, 'shorter');
  const hint = page.locator('.tooltip');
  // It closes when the conversation scrolls, which it does until its end is in place.
  await page.waitForTimeout(800);
  await page.locator('.badge.thought').last().focus();
  await hint.waitFor();
  await visit.shot('badge');
  await composer(visit).focus();
  await button(page.locator('.reply-footer').last(), visit.t('reply.regenerate')).hover();
  await hint.waitFor();
  await visit.shot('button');
}

/** On a branch made for it: the deletion must not change what other steps see. */
async function seeUndo(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const name = 'to be deleted';
  await program.call('POST', `/projects/${story.trees.id}/branches`, { name, fromRef: 'shorter' });
  const page = await readBranch(visit, 'shorter');
  await openRowMenu(visit, name);
  await choose(visit, 'branches.delete');
  await button(await dialogOf(visit), visit.t('branches.delete')).click();
  await page.locator('.undo').waitFor();
  await visit.shot('offered');
}

/** On a branch made for it, with a summary in place of its beginning. */
async function seeSummary(visit) {
  const { program, story } = await visit.worlds.visit('story');
  const { branches } = await program.call('GET', `/projects/${story.trees.id}/branches`);
  const name = 'summed up';
  if (!branches.some((branch) => branch.name === name)) {
    const { groups } = await program.call('GET', `/projects/${story.trees.id}/history?ref=main&limit=200`);
    const upTo = groups[0].reply.at(-1).id;
    await program.call('POST', `/projects/${story.trees.id}/compact`, { ref: 'main', upTo, name });
  }
  const page = await readBranch(visit, name);
  const card = page.locator('.summary-card');
  await card.waitFor();
  await card.scrollIntoViewIfNeeded();
  await visit.shot();
  await card.getByRole('button').first().click();
  await card.scrollIntoViewIfNeeded();
  await visit.shot('opened');
}

export const menus = [
  { name: 'project-menu', views: COLOURS, run: rowMenu('How trees decide', 'main') },
  { name: 'branch-menu', views: [...SIZED, ...COLOURS.slice(2)], run: rowMenu('main', 'main') },
  { name: 'branch-menu-low', views: BOTH, run: rowMenu('in other alphabets', 'main') },
  { name: 'compare-menu', views: BOTH, run: seeCompareMenu },
  { name: 'reply-menu', views: COLOURS, run: messageMenu('.reply-footer') },
  { name: 'message-menu', views: BOTH, run: messageMenu('.user') },
  { name: 'tools-menu', views: COLOURS, run: seeTools },
  { name: 'hints', views: LAPTOP, run: seeHints },
  { name: 'rename-project', views: BOTH, run: rowQuestion('How trees decide', 'palette.renameProject') },
  { name: 'delete-project', views: COLOURS, run: rowQuestion('How trees decide', 'projects.delete') },
  { name: 'rename-branch', views: BOTH, run: rowQuestion('main', 'branches.rename') },
  { name: 'delete-branch', views: BOTH, run: rowQuestion('main', 'branches.delete') },
  { name: 'delete-message', views: BOTH, run: messageQuestion('.user', 'reply.delete') },
  { name: 'leave-out', views: COLOURS, run: messageQuestion('.user', 'choose.leaveOut') },
  { name: 'compact', views: COLOURS, run: messageQuestion('.reply-footer', 'compact.open') },
  { name: 'summary', views: COLOURS, run: seeSummary },
  { name: 'undo', views: COLOURS, run: seeUndo },
  { name: 'raw', views: BOTH, run: messageQuestion('.reply-footer', 'reply.raw') },
  { name: 'other-model', views: BOTH, run: messageQuestion('.reply-footer', 'reply.regenerate.other') },
];
