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
    measureReasoning,
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
          new URL(request.url()).pathname.slice(-40) + new URL(request.url()).search.slice(0, 60),
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
  const hits = await searched(`/search?project=${projectId}&q=%22Question%204000%22`);
  const there = await open(`/p/${projectId}/b/main?node=${hits[0].nodeId}`, { panelOpen: false });
  await there.page.getByText('Question 4000:').waitFor();
  print('  a link to the 4,000th message, the page included', `${there.since()} ms`);
  await there.page.context().close();
  await page.context().close();
}

/** Messages are indexed a moment after they were stored: on a busy machine that takes a while. */
async function searched(path) {
  for (let tries = 0; tries < 120; tries += 1) {
    const { hits } = await program.call('GET', path);
    if (hits.length > 0) return hits;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('The message was not found within a minute.');
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
  const replies = [
    { say: '/sim long 20000', what: '20,000 characters of text', limit: 50 },
    { say: '/sim markdown 40000', what: '40,000 of Markdown, half of it one program', limit: 100 },
  ];
  for (const [index, { say, what, limit }] of replies.entries()) {
    await forgetLongTasks(page);
    const processor = await watchProcessor(page);
    await box.fill(`/sim slow 5 ${say}`);
    await box.press('Enter');
    await page.locator(`.turn-slot[data-index="${index + 1}"] .reply-footer`).waitFor({ timeout: 240_000 });
    // The end of the turn counts as well: the stored reply takes the place of the live one.
    await page.waitForTimeout(1_000);
    printLongTasks(`streaming ${what}, 200 events/s: long tasks`, await longTasks(page), limit);
    print('  processor time of the longest', `${await processor()} ms`);
  }
  await page.context().close();
}

/** The longest reasoning that is kept, opened by a click. */
async function measureReasoning() {
  const { project } = await program.call('POST', '/projects', { name: 'Reasoning', thinking: 'high' });
  await program.say(project.id, 'main', '/sim think 1 64000 /sim markdown');
  const { page } = await open(`/p/${project.id}/b/main`, { panelOpen: false });
  await page.locator('.reply-footer').waitFor();
  await page.waitForTimeout(1_000);
  await forgetLongTasks(page);
  const processor = await watchProcessor(page);
  await page.locator('.reasoning-toggle').click();
  await page.locator('.reasoning-body .prose > :not(.plain)').first().waitFor({ timeout: 60_000 });
  await page.waitForTimeout(3_000);
  printLongTasks('opening 64 kB of reasoning: long tasks', await longTasks(page), 100);
  print('  processor time of the longest', `${await processor()} ms`);
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
    const hear = (response) => {
      if (new URL(response.url()).pathname === '/api/projects') listed.push(response.body());
    };
    page.on('response', hear);
    await page.getByRole('list', { name: 'All projects' }).getByRole('link').nth(20).waitFor();
    print(`opening the page with ${wanted} projects`, `${since()} ms`);
    await page.waitForTimeout(500);
    // What is read later nobody waits for: the page may be closed before it is there.
    page.off('response', hear);
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

/**
 * What the page's own thread computes in one task at most, until the function that is returned is called: on a busy
 * machine a task takes many times as long, because other programs run in its midst.
 */
async function watchProcessor(page) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((resolve) => {
    session.once('Tracing.tracingComplete', resolve);
  });
  const categories = 'disabled-by-default-devtools.timeline';
  await session.send('Tracing.start', { categories, transferMode: 'ReportEvents' });
  return async () => {
    await session.send('Tracing.end');
    await complete;
    const isMain = ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain';
    const threads = new Set(events.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
    const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`));
    return Math.round(Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur)) / 1000);
  };
}

function printLongTasks(what, tasks, limit = 50) {
  const longest = tasks.length === 0 ? 'none' : `${tasks.length}, the longest ${Math.max(...tasks)} ms`;
  print(what, longest, `none over ${limit} ms`);
}

function printFrames(what, frames) {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  print(what, `${frames.length} frames, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
}

function print(what, value, wanted = '') {
  console.log(`${what.padEnd(64)} ${value}${wanted === '' ? '' : `  (wanted: ${wanted})`}`);
}
