// A reply that was made several times, a message that was edited, a draft that is open twice.
import { button, composer, exact, formatted, readBranch, startProject } from '../hands.mjs';
import { BOTH, COLOURS } from '../views.mjs';

/** Its replies are stopped long before their end, however long the pictures take. */
const QUESTION = '/sim slow 250 /sim long 20000';
const ANSWER = 'A bud grows where light falls on it, and the tree follows its buds.';

async function again(visit, page, item) {
  const footer = page.locator('.reply-footer').last();
  await footer.waitFor();
  await footer.hover();
  await button(footer, visit.t('versions.several')).click();
  await page.getByRole('menu').waitFor();
  await visit.shot(`menu-${item}`);
  await page.getByRole('menuitem').nth(item).click();
}

async function seeSeveral(visit) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', { name: 'Something happens', thinking: 'medium' });
  const messages = [
    { role: 'user', content: QUESTION },
    { role: 'assistant', content: ANSWER },
  ];
  await program.call('POST', `/nodes/${project.id}/append`, { ref: 'main', messages });
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await again(visit, page, 3);
  await page.getByRole('dialog').waitFor();
  await visit.shot('number');
  await page.keyboard.press('Escape');
  await again(visit, page, 2);
  // Once all of them have begun.
  await button(page, visit.t('versions.stop')).first().waitFor();
  await visit.shot('running');
  await button(page, visit.t('versions.compare')).last().click();
  await page.locator('.versions .prose').nth(2).waitFor();
  await visit.shot('side-by-side');
  await page
    .locator('.versions-bar')
    .getByRole('button', exact(visit.t('versions.stop')))
    .click();
  await page.waitForFunction(() => document.querySelector('.versions .badge.warn') !== null);
  await page.getByRole('checkbox', exact(visit.t('versions.words'))).check();
  await visit.shot('stopped');
}

async function seeEdited(visit) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', { name: 'A question in two versions' });
  await program.say(project.id, 'main', 'Why do trees branch where they do, and who decides it?');
  const { groups } = await program.call('GET', `/projects/${project.id}/history?ref=main`);
  await program.call('POST', `/projects/${project.id}/edit`, {
    nodeId: groups[0].user.id,
    content: 'Why do young trees branch where the light is, and what decides it?',
    branchName: 'other words',
  });
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await page.locator('.reply-footer').last().waitFor();
  await formatted(page);
  await visit.shot('switcher');
  await button(page.locator('.user'), visit.t('versions.compare')).click();
  await page.locator('.word-difference').waitFor();
  await visit.shot('words');
}

async function seeFooter(visit) {
  const page = await readBranch(visit, 'shorter');
  // It closes when the conversation scrolls, which it does until its end is in place.
  await page.waitForTimeout(800);
  await page.locator('.facts').last().focus();
  await page.getByRole('tooltip').waitFor();
  await visit.shot();
}

async function seeReasoning(visit) {
  for (const name of ['main', 'summarised']) {
    const page = await readBranch(visit, name);
    await page.locator('.reasoning-toggle').first().click();
    await page.locator('.include-thinking').first().waitFor();
    await page.locator('.include-thinking').first().scrollIntoViewIfNeeded();
    await visit.shot(name);
  }
}

async function seeTwoTabs(visit) {
  const page = await startProject(visit);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole('textbox', exact(visit.t('composer.label'))).waitFor();
  await page.evaluate(() => {
    BroadcastChannel.prototype.postMessage = () => undefined;
  });
  await composer(visit).fill('What I began to write in this tab.');
  await other
    .getByRole('textbox', exact(visit.t('composer.label')))
    .fill('What I wrote in the other one, and forgot about.');
  await page.locator('.other-draft').waitFor();
  await other.close();
  await visit.shot();
}

export const versions = [
  { name: 'several', views: COLOURS, run: seeSeveral },
  { name: 'edited', views: COLOURS, run: seeEdited },
  { name: 'footer', views: COLOURS, run: seeFooter },
  { name: 'reasoning-fate', views: COLOURS, run: seeReasoning },
  { name: 'two-tabs', views: BOTH, run: seeTwoTabs },
];
