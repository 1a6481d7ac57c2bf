// A reply in all the states it can be in.
import { button, composer, readBranch, send, startProject } from '../hands.mjs';
import { BOTH, COLOURS, LAPTOP } from '../views.mjs';

const footer = (visit) => visit.page().locator('.reply-footer').last().waitFor();

const branch =
  (name, prepare = async () => undefined) =>
  async (visit) => {
    const page = await readBranch(visit, name);
    await prepare(visit, page);
    await visit.shot();
  };

const reply = (message, more) => async (visit) => {
  await startProject(visit, more);
  await send(visit, message);
  await footer(visit);
  await visit.shot();
};

async function seeWaiting(visit) {
  const page = await startProject(visit);
  await send(visit, '/sim fault stall 0 60000');
  await page.locator('.waiting').waitFor();
  await visit.shot();
}

async function seeStreaming(visit) {
  const page = await startProject(visit);
  await send(visit, '/sim slow 40 /sim think 1 4000 /sim long 8000');
  await page.locator('.reasoning[data-live] .reasoning-toggle').click();
  await visit.shot('reasoning');
  await button(page, visit.t('composer.stop')).waitFor();
  await composer(visit).fill('And then another question, which waits in line until the reply has come.');
  await composer(visit).press('Enter');
  await page.locator('.queued').waitFor();
  await visit.shot('queued');
  await button(page, visit.t('composer.queued.remove')).click();
  await page.locator('.reply-body[aria-busy] .prose:not(.quiet)').first().waitFor({ timeout: 40_000 });
  await visit.shot('text');
  await button(page, visit.t('composer.stop')).click();
  await footer(visit);
  await visit.shot('interrupted');
}

const approval = (message) => async (visit) => {
  const page = await startProject(visit, { tools: ['calculator'] });
  await send(visit, message);
  await page.locator('.tool-approval').first().waitFor();
  await visit.shot();
};

async function openReasoning(visit, page) {
  for (const toggle of await page.locator('.reasoning-toggle').all()) await toggle.click();
  const tool = page.locator('.tool summary').first();
  if (await tool.isVisible()) await tool.click();
}

async function seeLong(visit) {
  const page = await readBranch(visit, 'main', {}, 'long');
  await visit.shot('end');
  await page.getByRole('region', { name: visit.t('conversation.label') }).evaluate((each) => each.scrollTo(0, 0));
  await visit.shot('older');
}

export const replies = [
  { name: 'waiting', views: BOTH, run: seeWaiting },
  { name: 'streaming', views: COLOURS, run: seeStreaming },
  { name: 'approval', views: COLOURS, run: approval('/sim tools calculator') },
  { name: 'approvals', views: BOTH, run: approval('/sim tools calculator x3') },
  { name: 'error', views: COLOURS, run: branch('failed') },
  { name: 'cut', views: LAPTOP, run: reply('/sim fault cut 7') },
  { name: 'refused', views: LAPTOP, run: reply('/sim refuse') },
  { name: 'cut-short', views: LAPTOP, run: reply('/sim max_tokens') },
  { name: 'no-text', views: LAPTOP, run: reply('/sim empty') },
  { name: 'unknown-block', views: LAPTOP, run: reply('/sim unknown') },
  { name: 'help', views: BOTH, run: reply('/sim help') },
  { name: 'markdown', views: BOTH, run: reply('/sim markdown') },
  { name: 'unicode', views: COLOURS, run: branch('in other alphabets') },
  { name: 'redacted', views: BOTH, run: branch('shorter', openReasoning) },
  { name: 'summary', views: BOTH, run: branch('summarised', openReasoning) },
  { name: 'hidden', views: LAPTOP, run: reply('Think about it.', { model: 'sim-hidden' }) },
  {
    name: 'tools-used',
    views: BOTH,
    run: async (visit) => {
      const page = await startProject(visit, { tools: ['current_time'], model: 'sim-interleaved' });
      await send(visit, 'What time is it? /sim tools current_time x3 steps 2');
      await footer(visit);
      await openReasoning(visit, page);
      await visit.shot();
    },
  },
  { name: 'model-break', views: COLOURS, run: branch('summarised') },
  { name: 'long', views: COLOURS, run: seeLong },
];
