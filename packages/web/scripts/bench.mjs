// Prints the figures that the page promises: `npm run bench:web`. Nothing is asserted: figures from a busy machine are
// slow, not wrong. Words after `--` choose some of them: `npm run bench:web -- message places`.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { runnerImport } from 'vite';
import { startRunningProgram } from './running-program.mjs';

const DIST = new URL('../dist/', import.meta.url);
const MESSAGES = 5_000;
const NODES = 10_000;
const BATCH = 1_000;
const PROJECTS = 10_000;
const only = process.argv.slice(2).map((word) => word.toLowerCase());

const { module: browsers } = await runnerImport(fileURLToPath(new URL('../src/testing/browser.ts', import.meta.url)));
print('initial JavaScript, compressed', `${Math.round((await initialScriptBytes()) / 1000)} kB`, '< 250 kB');
const program = await startRunningProgram({ BOUGH_SIMULATOR_PACE_MS: '0' });
const browser = await browsers.launchBrowser();
try {
  const projectId = await grow(program);
  const measures = {
    measureMessage,
    measurePlaces,
    measureConversation,
    measureStreaming,
    measureGraph,
    measureProjects,
  };
  for (const [name, measure] of Object.entries(measures))
    if (only.length === 0 || only.some((part) => name.toLowerCase().includes(part))) await measure(projectId);
} finally {
  await browser.close();
  await program.stop();
}

/** What the page requests before anything is clicked: its entry and what the entry preloads. */
async function initialScriptBytes() {
  const html = await readFile(new URL('index.html', DIST), 'utf8');
  const names = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name);
  const sizes = await Promise.all(names.map(async (name) => gzipSync(await readFile(new URL(name, DIST))).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A project with a conversation of 5,000 messages and a tree of 10,000 nodes, forked every thousand. */
async function grow({ call, say }) {
  const { project } = await call('POST', '/projects', { name: 'Large' });
  await say(project.id, 'main', '/sim say start');
  const { branches } = await call('GET', `/projects/${project.id}/branches`);
  let parent = branches[0].tipId;
  for (let made = 0; made < NODES; made += BATCH) {
    const isMain = made < MESSAGES;
    const name = isMain ? 'main' : `side ${made / BATCH}`;
    if (!isMain) await call('POST', `/projects/${project.id}/branches`, { name, fromRef: 'main', fromNodeId: parent });
    const messages = Array.from({ length: BATCH }, (_, at) => message(made + at));
    const { tipId, created } = await call('POST', `/nodes/${parent}/append`, { ref: name, messages });
    parent = isMain ? tipId : created[created.length / 2 - 1];
  }
  return project.id;
}

function message(number) {
  if (number % 2 === 0) return { role: 'user', content: `Question ${number}: what follows from it?` };
  const list = Array.from({ length: 1 + (number % 4) }, (_, at) => `- point **${at}** with \`code\``).join('\n');
  return {
    role: 'assistant',
    content: `Answer ${number}, in a few words that fill a line or two of the page.\n\n${list}`,
  };
}

async function open(path, preferences = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript((stored) => {
    localStorage.setItem('bough.preferences', stored);
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.longTasks.push(Math.round(entry.duration));
    }).observe({ type: 'longtask', buffered: true });
  }, JSON.stringify(preferences));
  const page = await context.newPage();
  const started = performance.now();
  await page.goto(`${program.url}${path}`);
  return { page, since: () => Math.round(performance.now() - started) };
}

async function measureConversation(projectId) {
  const { page, since } = await open(`/p/${projectId}/b/main`, { panelOpen: false });
  await page.getByText(`Answer ${MESSAGES - 1}`).waitFor();
  print(`opening a conversation of ${MESSAGES} messages`, `${since()} ms`);
  print('  turns in the page', String(await page.locator('.turn-slot').count()));
  await forgetLongTasks(page);
  printFrames('  scrolling up for 3 s', await scrollUp(page));
  printLongTasks('  long tasks meanwhile', await longTasks(page));
  await page.context().close();
}

/** What one message costs in a large project: first with little loaded, then with all that a reader can have loaded. */
async function measureMessage(projectId) {
  const { page } = await open(`/p/${projectId}/b/main`, { panelOpen: true, panel: 'graph' });
  await page
    .getByText(`Answer ${MESSAGES - 1}`)
    .first()
    .waitFor();
  await page.getByRole('treeitem').first().waitFor();
  await page.waitForTimeout(3_000);
  for (const [at, loaded] of ['the newest page', 'pages by scrolling up for 6 s'].entries()) {
    if (at > 0) {
      await scrollUp(page);
      await scrollUp(page);
      await page.waitForTimeout(2_000);
    }
    const requests = [];
    const count = (request) => requests.push(request);
    page.on('request', count);
    const box = page.locator('#composer');
    const text = `The message number ${at}`;
    await box.fill(`/sim say Reply ${at} of the bench. ${text}`);
    const sent = performance.now();
    await box.press('Enter');
    await page.locator('.user-text').getByText(text).waitFor();
    const shown = Math.round(performance.now() - sent);
    await page.locator('.reply').getByText(`Reply ${at} of the bench.`).waitFor();
    await page.locator('.turn-slot').last().locator('.reply-footer').waitFor();
    const ended = Math.round(performance.now() - sent);
    await page.waitForTimeout(4_000);
    page.off('request', count);
    const api = requests.filter((request) => new URL(request.url()).pathname.startsWith('/api/'));
    const sizes = await Promise.all(api.map((request) => request.sizes().catch(() => null)));
    const bytes = sizes.reduce((sum, size) => sum + (size?.responseBodySize ?? 0), 0);
    print(`a message in a project of ${NODES} nodes, with ${loaded}`, `${api.length} requests`, 'at most 6');
    print('  bytes', `${Math.round(bytes / 1000)} kB`, 'at most 200 kB');
    print('  until it is on the screen; until its reply is complete', `${shown} ms; ${ended} ms`);
    if (process.env.BENCH_VERBOSE !== undefined)
      for (const [index, request] of api.entries())
        console.log(
          '   ',
          request.method(),
          new URL(request.url()).pathname.slice(-40),
          sizes[index]?.responseBodySize,
        );
  }
  await page.context().close();
}

/** How long it takes to go anywhere in a long conversation. */
async function measurePlaces(projectId) {
  const { page } = await open(`/p/${projectId}/b/main`, { panelOpen: false });
  await page.locator('.turn-slot').last().waitFor();
  const region = page.locator('.conversation');
  const time = async (what, go, text) => {
    const started = performance.now();
    await go();
    await region.getByText(text).first().waitFor();
    print(`  ${what}`, `${Math.round(performance.now() - started)} ms`);
  };
  print(`in a conversation of ${MESSAGES} messages`, '');
  await time('Home', () => region.press('Home'), 'Question 0:');
  await time('End', () => region.press('End'), `Answer ${MESSAGES - 1},`);
  const { hits } = await program.call('GET', `/projects/${projectId}/search?q=Question%202000:`);
  const there = await open(`/p/${projectId}/b/main?node=${hits[0].nodeId}`, { panelOpen: false });
  await there.page.getByText('Question 2000:').waitFor();
  print('  a link to a message in the middle, the page included', `${there.since()} ms`);
  await there.page.context().close();
  await page.context().close();
}

async function scrollUp(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const scroller = document.querySelector('.conversation');
        const frames = [];
        let before = performance.now();
        const end = before + 3_000;
        const step = (now) => {
          frames.push(now - before);
          before = now;
          scroller.scrollTop -= 60;
          if (now < end) requestAnimationFrame(step);
          else resolve(frames);
        };
        requestAnimationFrame(step);
      }),
  );
}

async function measureStreaming() {
  const { project } = await program.call('POST', '/projects', { name: 'Stream' });
  const { page } = await open(`/p/${project.id}/b/main`, { panelOpen: false });
  const box = page.locator('#composer');
  await box.fill('/sim say warm up');
  await box.press('Enter');
  await page.locator('.reply-footer').waitFor();
  await forgetLongTasks(page);
  await box.fill('/sim slow 5 /sim long 20000');
  await box.press('Enter');
  await page.locator('.turn-slot[data-index="1"] .reply-footer').waitFor({ timeout: 120_000 });
  printLongTasks('streaming 20,000 characters at 200 events/s: long tasks', await longTasks(page));
  await page.context().close();
}

async function measureGraph(projectId) {
  const { page, since } = await open(`/p/${projectId}/b/main`, { panelOpen: true, panel: 'graph' });
  await page.getByRole('treeitem').first().waitFor();
  print(`graph of ${NODES} nodes, from the address to the drawing`, `${since()} ms`);
  print('  points in the page', String(await page.getByRole('treeitem').count()));
  await forgetLongTasks(page);
  const box = await page.getByRole('tree').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let turns = 0; turns < 40; turns += 1) await page.mouse.wheel(0, turns % 2 === 0 ? 240 : -120);
  printLongTasks('  long tasks while moving through it', await longTasks(page));
  await page.context().close();
}

/** The same page, first with few projects in the list, then with many. */
async function measureProjects() {
  for (let made = (await program.call('GET', '/projects?limit=1')).total, wanted = 100; ; wanted = PROJECTS) {
    while (made < wanted) {
      const names = Array.from({ length: Math.min(50, wanted - made) }, (_, at) => `Project ${made + at}`);
      await Promise.all(names.map((name) => program.call('POST', '/projects', { name })));
      made += names.length;
    }
    const { page, since } = await open('/settings');
    const listed = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/api/projects') listed.push(response.body());
    });
    await page.getByRole('list', { name: 'All projects' }).getByRole('link').nth(20).waitFor();
    print(`opening the page with ${wanted} projects`, `${since()} ms`);
    await page.waitForTimeout(500);
    const bytes = (await Promise.all(listed)).reduce((sum, body) => sum + body.length, 0);
    print('  asked for projects', `${listed.length} times, ${Math.round(bytes / 1000)} kB`);
    print('  elements in the page', String(await page.locator('*').count()));
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    print('  memory of its scripts', `${Math.round((await session.send('Runtime.getHeapUsage')).usedSize / 1e6)} MB`);
    printLongTasks('  long tasks', await longTasks(page));
    await forgetLongTasks(page);
    await page.locator('.sidebar-scroll').evaluate(async (element) => {
      for (let step = 1; step <= 60; step += 1) {
        element.scrollTop = (element.scrollHeight * step) / 60;
        await new Promise(requestAnimationFrame);
      }
    });
    printLongTasks('  long tasks while scrolling to the oldest', await longTasks(page));
    const typed = performance.now();
    await page.getByRole('searchbox').fill('Project 42');
    await page.getByRole('link', { name: 'Project 42', exact: true }).waitFor();
    print('  finding one by its name', `${Math.round(performance.now() - typed)} ms`);
    await page.context().close();
    if (wanted === PROJECTS) break;
  }
}

async function forgetLongTasks(page) {
  await page.evaluate(() => {
    globalThis.longTasks.length = 0;
  });
}

async function longTasks(page) {
  return page.evaluate(() => [...globalThis.longTasks]);
}

function printLongTasks(what, tasks) {
  print(what, tasks.length === 0 ? 'none' : `${tasks.length}, the longest ${Math.max(...tasks)} ms`, 'none over 50 ms');
}

function printFrames(what, frames) {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  print(what, `${frames.length} frames, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
}

function print(what, value, wanted = '') {
  console.log(`${what.padEnd(64)} ${value}${wanted === '' ? '' : `  (wanted: ${wanted})`}`);
}
