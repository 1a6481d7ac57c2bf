// Questions about words of a reply: asking, notes in the margin and below the reply, many of them, their list.
import { button, exact, formatted } from '../hands.mjs';
import { COLOURS, WIDE } from '../views.mjs';

const REPLY =
  '/sim say Most broad-leaved trees branch where a **bud** has had light for a whole summer.\\n\\n- Buds in the shade stay asleep, sometimes for decades.\\n- A bud that wakes becomes a twig, and its `apical dominance` keeps the ones below it asleep.\\n\\nThis is why an oak in a wood is tall and narrow, and an oak in a meadow is as wide as it is high. Foresters use this: they plant **beeches** between young oaks, which shade the trunks and keep them free of twigs.';

const ANSWERS = {
  bud: '/sim say A **bud** is a twig that waits: leaves, stem and growing point, folded into scales. In winter you can tell most trees by their buds alone.',
  'apical dominance':
    '/sim say The tip of a shoot makes auxin, a hormone that flows down the stem. Buds below it stay asleep while enough of it arrives. Cut off the tip, and they wake: that is what pruning a hedge does.\\n\\n1. The tip makes auxin.\\n2. Auxin flows down.\\n3. Buds below wait.',
};

/** A conversation whose reply has questions beside it. */
async function askedProject(visit, asked) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', { name: 'Why trees branch' });
  await program.say(project.id, 'main', REPLY);
  const { groups } = await program.call('GET', `/projects/${project.id}/history?ref=main`);
  const nodeId = groups[0].reply.at(-1).id;
  const ask = async (quote, question) => {
    const body = { nodeId, quote, question };
    const { question: begun } = await program.call('POST', `/projects/${project.id}/questions`, body);
    await program.call('GET', `/projects/${project.id}/turns/${begun.turnId}/stream`);
  };
  for (const [quote, question] of asked) await ask(quote, question);
  const beside = (id, change) => program.call('PUT', `/projects/${project.id}/nodes/${id}/annotations`, change);
  await beside(groups[0].reply[0].id, { star: true, note: 'Look at the oak behind the school in March.' });
  return { program, project };
}

async function openAsked(visit, asked, preferences = {}) {
  const { program, project } = await askedProject(visit, asked);
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`, preferences);
  await page.locator('.reply-footer').last().waitFor();
  await formatted(page);
  return page;
}

async function seeAsking(visit) {
  const page = await openAsked(visit, []);
  const passage = page.locator('.reply-body strong').first();
  await passage.scrollIntoViewIfNeeded();
  // Scrolling closes the form.
  await page.waitForTimeout(500);
  await passage.dblclick();
  const form = page.getByRole('form', exact(visit.t('selection.label')));
  await form.waitFor();
  await visit.shot('form');
  await form.getByRole('textbox').fill(ANSWERS.bud.replace('/sim ', '/sim slow 120 /sim think 1 100 /sim '));
  await button(form, visit.t('selection.ask.here')).click();
  await page.locator('.question-note').waitFor();
  await page.getByText(visit.t('reasoning.live'), { exact: true }).waitFor();
  await visit.shot('thinking');
  await page.locator('.question-answer').waitFor();
  await visit.shot('growing');
}

async function seeNotes(visit) {
  const page = await openAsked(visit, Object.entries(ANSWERS));
  await page.locator('.question-answer').nth(1).waitFor();
  await page.locator('.question-answer .prose .plain').first().waitFor({ state: 'detached' });
  await visit.shot('two');
  const isWide = visit.view.name.startsWith('wide');
  if (isWide) {
    const toggle = button(page, visit.t('panel.toggle'));
    await toggle.click();
    await visit.shot('two-in-a-wide-margin');
    await toggle.click();
  }
  await page.locator('.question-note').nth(1).hover();
  await visit.shot('looked-at');
  // Elsewhere the notice lies on the actions of the reply for a while, as every notice does at the end of a page.
  if (!isWide) return;
  await button(page.locator('.question-note').first(), visit.t('question.delete')).click();
  await page.locator('.undo').waitFor();
  await visit.shot('deleted');
}

async function seeMany(visit) {
  const page = await openAsked(visit, [
    ...Object.entries(ANSWERS),
    ['beeches', '/sim fault 403 Which other trees would do, and do they have to be as shade-tolerant as a beech is?'],
    ['the larch', '/sim say A larch is not mentioned.'],
  ]);
  const heads = page.locator('.question-head');
  await heads.nth(3).waitFor();
  await visit.shot('folded');
  await heads.nth(2).click();
  await heads.nth(3).click();
  await page.getByText(visit.t('question.words.lost')).waitFor();
  await visit.shot('failed-and-lost');
}

async function seeList(visit) {
  const { program } = await askedProject(visit, [['bud', 'What is in a bud, and how does it know when to open?']]);
  const page = await visit.open(`${program.url}/kept`);
  await page.locator('.kept-entry').first().waitFor();
  await button(page, visit.t('kept.kind.question')).click();
  await page.waitForTimeout(500);
  await visit.shot();
}

export const questions = [
  { name: 'question-asking', views: [...COLOURS, ...WIDE], run: seeAsking },
  { name: 'question-notes', views: [...COLOURS, ...WIDE], run: seeNotes },
  { name: 'question-many', views: [...COLOURS, ...WIDE], run: seeMany },
  { name: 'question-list', views: COLOURS, run: seeList },
];
