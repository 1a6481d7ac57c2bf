// A reply in all the states it can be in.
import { button, readBranch, send, startProject } from '../hands.mjs';
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
  await send(visit, 'And then another question, which waits in line until the reply has come.');
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

const searched = (id, query, sources) => [
  { type: 'server_tool_use', id, name: 'web_search', input: { query } },
  { type: 'web_search_tool_result', tool_use_id: id, content: sources.map(([url, title]) => ({ url, title })) },
];
const cited = (text, ...sources) => ({
  type: 'text',
  text,
  citations: sources.map(([url, title]) => ({ url, title })),
});
const OAK = ['https://trees.example/how-old-oaks-become', 'How old oaks become'];
const ELM = ['https://www.elms.example/', 'Elms: a history of what was lost, and of what is being planted instead'];
/** What providers send of their own tools, as blocks of a reply. */
const PROVIDED = [
  { type: 'thinking', thinking: 'I should look that up.' },
  ...searched('1', 'how old do oaks become', [OAK, ['https://forest.example/', 'The forest']]),
  ...searched('2', 'oldest elm tree in Europe', [ELM]),
  { type: 'code_interpreter_call', status: 'completed', code: 'print(1200 - 400)', outputs: [{ logs: '800' }] },
  { type: 'mcp_call', server_label: 'arboretum', name: 'find', arguments: '{"of":"oak"}', error: 'timed out' },
  cited('Oaks live **a thousand years**, the oldest of them longer', OAK),
  cited('. Elms reach half of that', OAK, ELM),
  { type: 'text', text: ':\n\n| Tree | Years |\n|---|---|\n| Oak | 1200 |\n| Elm | 400 |\n\n' },
  { type: 'text', text: 'The rest is `guesswork`', citations: [{ document_title: 'notes.pdf', cited_text: 'no' }] },
  { type: 'text', text: '.' },
];

async function seeProviderTools(visit) {
  const { program } = await visit.worlds.visit('story');
  const title = 'How old trees become';
  const messages = [
    { role: 'user', content: 'How old do trees become?' },
    { role: 'assistant', content: PROVIDED, model: 'a-model' },
  ];
  const body = JSON.stringify({ title, messages });
  const headers = { 'content-type': 'application/octet-stream' };
  const lines = await (await fetch(`${program.url}/api/import`, { method: 'POST', headers, body })).text();
  const [project] = JSON.parse(lines.trim().split('\n').at(-1)).report.projects;
  const { branches } = await program.call('GET', `/projects/${project.id}/branches`);
  const page = await visit.open(`${program.url}/p/${project.id}/b/${branches[0].name}`);
  await footer(visit);
  await visit.shot();
  for (const line of await page.locator('.provider-tool summary').all()) await line.click();
  await page.locator('.provider-tool .tool-body').first().scrollIntoViewIfNeeded();
  await visit.shot('opened');
}

/** The container of the code is gone: the reply says so while it is written, and afterwards. */
async function seeExpired(visit) {
  const page = await startProject(visit, { thinking: 'off', providerTools: [{ tool: 'code_execution' }] });
  const file = { name: 'trees.csv', mimeType: 'text/csv', buffer: Buffer.from('year,trees\n2026,9\n') };
  await page.locator('form.composer input[type="file"][multiple]').setInputFiles(file);
  await page.locator('button.file-open').first().waitFor();
  await send(visit, '/sim code print(1)');
  await footer(visit);
  await send(visit, '/sim expire /sim slow 60 /sim long 600');
  await page.locator('.reply-notice').waitFor();
  await visit.shot('named');
  await page.locator('.reply-footer').nth(1).waitFor();
  await visit.shot();
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
  { name: 'provider-tools', views: BOTH, run: seeProviderTools },
  { name: 'expired', views: COLOURS, run: seeExpired },
  { name: 'model-break', views: COLOURS, run: branch('summarised') },
  { name: 'long', views: COLOURS, run: seeLong },
];
