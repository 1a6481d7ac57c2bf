// Files in and out, and what a message can hold besides words.
import { button, composer, dialogOf, formatted, openRowMenu, readBranch, showAndClose } from '../hands.mjs';
import { BOTH, COLOURS } from '../views.mjs';

const conversation = (id, title) => ({
  title,
  create_time: 1_700_000_000,
  conversation_id: id,
  current_node: 'a',
  mapping: {
    u: {
      id: 'u',
      parent: null,
      children: ['a'],
      message: {
        id: 'u',
        author: { role: 'user' },
        content: {
          content_type: 'multimodal_text',
          parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-1' }, 'What is this?'],
        },
      },
    },
    a: {
      id: 'a',
      parent: 'u',
      children: [],
      message: { id: 'a', author: { role: 'assistant' }, content: { content_type: 'text', parts: ['A tree.'] } },
    },
  },
});

async function choose(page, text, name = 'conversations.json') {
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
}

/** A session of an agent, with reasoning that goes back, and some that does not for each of the reasons. */
function session() {
  const entry = (id, parentId, message) => ({
    type: 'message',
    id,
    parentId,
    timestamp: '2026-01-01T00:00:01Z',
    message,
  });
  const reply = (id, parentId, provider, model, thinkingSignature) =>
    entry(id, parentId, {
      role: 'assistant',
      api: 'anthropic-messages',
      provider,
      model,
      content: [{ type: 'thinking', thinking: 'Leaves.', thinkingSignature }],
    });
  return [
    { type: 'session', version: 3, id: 'tour', timestamp: '2026-01-01T00:00:00Z' },
    entry('u1', null, { role: 'user', content: 'Refactor the tree' }),
    reply('a1', 'u1', 'anthropic', 'claude-opus-4-6', 'signed'),
    reply('a2', 'a1', 'anthropic', 'claude-opus-4-6', ''),
    reply('a3', 'a2', 'anthropic', 'claude-sonnet-5-5', 'signed'),
    reply('a4', 'a3', 'corporate', 'claude-opus-4-6', 'signed'),
  ]
    .map((record) => JSON.stringify(record))
    .join('\n');
}

async function seeImport(visit) {
  const { program } = await visit.worlds.visit('story');
  const page = await visit.open(`${program.url}/import`);
  await button(page, visit.t('import.choose')).waitFor();
  await visit.shot();
  const conversations = [
    conversation('one', 'Why trees grow towards the light'),
    conversation('two', 'A conversation whose title is so long that it needs more than one line on a telephone'),
    conversation('three', 'Roots'),
  ];
  await choose(page, JSON.stringify(conversations).slice(0, -20));
  await page.getByRole('alert').waitFor();
  await visit.shot('torn');
  await button(page, visit.t('import.skip')).click();
  await page.locator('.import-report').waitFor();
  await visit.shot('report');
  await button(page, visit.t('import.again')).click();
  await choose(page, session(), 'x_tour.jsonl');
  await page.locator('.import-report').waitFor();
  await visit.shot('session');
}

async function seeExport(visit) {
  await readBranch(visit);
  await openRowMenu(visit, 'shorter');
  await visit
    .page()
    .getByRole('menuitem', { name: visit.t('export.menu') })
    .click();
  await showAndClose(visit, await dialogOf(visit));
}

async function seeDataset(visit) {
  await readBranch(visit);
  await openRowMenu(visit, 'shorter');
  await visit
    .page()
    .getByRole('menuitem', { name: visit.t('export.menu') })
    .click();
  const dialog = await dialogOf(visit);
  await dialog.locator('input[name="format"]').last().check();
  await dialog.locator('.dataset-report strong').waitFor();
  await visit.shot();
  await dialog.locator('.dataset-report').scrollIntoViewIfNeeded();
  await visit.shot('report');
}

/** A conversation that holds any text at all. */
async function read(visit, text, more = {}) {
  const { program } = await visit.worlds.visit('story');
  const { project } = await program.call('POST', '/projects', { name: 'Something to look at', ...more });
  const messages = [
    { role: 'user', content: 'Show it to me.' },
    { role: 'assistant', content: text },
  ];
  await program.call('POST', `/nodes/${project.id}/append`, { ref: 'main', messages });
  const page = await visit.open(`${program.url}/p/${project.id}/b/main`);
  await composer(visit).waitFor();
  await page.locator('.reply').first().waitFor();
  await formatted(page);
  return page;
}

const fenced = (source) => `It goes like this:\n\n\`\`\`mermaid\n${source}\n\`\`\`\n\nThat is all.`;
const FLOW =
  'flowchart LR\n  A[A bud finds light] --> B{Worth a branch?}\n  B -->|yes| C[Grow a branch]\n  B -->|no| D[Wait for spring]\n  D --> A';

async function seeDiagram(visit) {
  const page = await read(visit, fenced(FLOW));
  await page.locator('.diagram-picture img').waitFor();
  await visit.shot();
  await button(page, visit.t('diagram.source')).click();
  await visit.shot('source');
}

async function seeBadDiagram(visit) {
  const page = await read(visit, fenced('flowchart LR\n  A --> --> ???'));
  await page.getByText(visit.t('diagram.failed')).waitFor();
  await visit.shot();
}

async function seePicture(visit) {
  await read(visit, 'A picture:\n\n![An old oak in a field](https://pictures.example.com/oak.png)\n\nThat is all.');
  await visit.shot();
}

const PRINTED = [
  '# On paper',
  'Words with [a link](https://example.com/where/it/leads) in them, and `code` among them.',
  `\`\`\`js\nconst wide = ${JSON.stringify('a line that is wider than the paper '.repeat(5))};\n\`\`\``,
  fenced(FLOW),
  '| tree | height |\n|---|---|\n| oak | 30 m |\n| birch | 20 m |',
  'Last words.',
].join('\n\n');

/** As on A4 paper, whatever the window. */
async function seePrint(visit) {
  const page = await read(visit, PRINTED);
  await page.locator('.diagram-picture img').waitFor();
  await page.setViewportSize({ width: 660, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await visit.shot();
}

export const transfer = [
  { name: 'import', views: COLOURS, run: seeImport },
  { name: 'export', views: COLOURS, run: seeExport },
  { name: 'dataset', views: COLOURS, run: seeDataset },
  { name: 'diagram', views: COLOURS, run: seeDiagram },
  { name: 'diagram-failed', views: BOTH, run: seeBadDiagram },
  { name: 'picture', views: COLOURS, run: seePicture },
  { name: 'print', views: COLOURS.slice(2), run: seePrint },
];
