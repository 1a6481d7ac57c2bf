import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { whole as en } from './i18n/later/index.ts';
import {
  ask,
  branchLink,
  button,
  composer,
  ended,
  eventually,
  onBranch,
  openConversation,
  openImported,
  openPanel,
  openProject,
  reply,
  replyText,
  send,
  turn,
} from './testing/page-objects.ts';
import { longestTask } from './testing/longest-task.ts';
import { useStage } from './testing/stage.ts';

const stage = useStage({ tools: { approval: { calculator: 'ask' } } });

async function chooseThinking(page: Page, level: string): Promise<void> {
  await page.getByRole('combobox', { name: en['composer.thinking'] }).selectOption(level);
}

/** The change of a branch that this makes, held on its way to the server. */
async function heldChange(page: Page, make: () => Promise<void>): Promise<Route> {
  let hold: (route: Route) => void = () => undefined;
  const held = new Promise<Route>((resolve) => {
    hold = resolve;
  });
  await page.route('**/api/projects/*/branches/*', (route) =>
    route.request().method() === 'PATCH' ? hold(route) : route.fallback(),
  );
  await make();
  return held;
}

describe('reasoning', () => {
  it('WEB-20: is a closed panel above the answer, live while it comes, and opens on request', async () => {
    const { page } = await openProject(stage);
    await send(page, 'why do trees branch? /sim slow 800');
    const panel = reply(page, 1).locator('.reasoning').first();
    const live = panel.getByRole('button', { name: new RegExp(en['reasoning.live']) });
    await live.waitFor();
    expect(await live.getAttribute('aria-expanded')).toBe('false');
    await live.click();
    await panel.getByText('why do trees branch?').waitFor();
    await button(page, en['composer.stop']).click();
    await ended(page, 1);
    const toggle = panel.getByRole('button', { name: new RegExp(`^${en['reasoning.title']} · `) });
    await toggle.waitFor();
    expect(await replyText(page, 1).getByText('The message says').count()).toBe(0);
  });

  it('WEB-81: counts its seconds and shows its last line while it comes; what the reader opened stays open', async () => {
    const { page } = await openProject(stage);
    await send(page, '/sim slow 60 /sim think 1 40000');
    const panel = reply(page, 1).locator('.reasoning').first();
    const toggle = panel.locator('.reasoning-toggle');
    await eventually(() => panel.locator('.reasoning-preview').innerText()).toMatch(/\w{3,}/);
    await eventually(() => toggle.innerText()).toMatch(new RegExp(`^${en['reasoning.live']} · [1-9]\\d* s$`));
    await toggle.click();
    const body = panel.getByRole('group', { name: en['reasoning.title'] });
    await body.waitFor();
    expect(await panel.locator('.reasoning-preview').count()).toBe(0);
    await button(page, en['composer.stop']).click();
    await ended(page, 1);
    // The copy that arrived is gone a moment later; only then would a panel of its own have closed.
    await page.waitForTimeout(1_500);
    expect(await toggle.getAttribute('aria-expanded')).toBe('true');
    expect(await body.isVisible()).toBe(true);
    await toggle.click();
    expect(await toggle.getAttribute('aria-expanded')).toBe('false');
  });

  it('WEB-81: what is open stays at its end while it comes, until its reader scrolls away', async () => {
    const { page } = await openProject(stage);
    await send(page, '/sim slow 20 /sim think 1 60000');
    const panel = reply(page, 1).locator('.reasoning').first();
    await eventually(() => panel.locator('.reasoning-preview').innerText()).toMatch(/\w{3,}/);
    await panel.locator('.reasoning-toggle').click();
    const body = panel.getByRole('group', { name: en['reasoning.title'] });
    await body.waitFor();
    const read = () =>
      body.evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
        top: scrollTop,
        isLong: scrollHeight > 3 * clientHeight,
        isAtEnd: scrollHeight - scrollTop - clientHeight < 24,
      }));
    await eventually(read).toMatchObject({ isLong: true, isAtEnd: true });
    const { top } = await read();
    await eventually(async () => (await read()).top > top + 100).toBe(true);
    await eventually(read).toMatchObject({ isAtEnd: true });
    await body.hover();
    await page.mouse.wheel(0, -400);
    await eventually(read).toMatchObject({ isAtEnd: false });
    const lengthOf = async (): Promise<number> => (await body.textContent())?.length ?? 0;
    const left = await lengthOf();
    await eventually(async () => (await lengthOf()) > left + 500).toBe(true);
    const { top: place, isAtEnd } = await read();
    expect(isAtEnd).toBe(false);
    await button(page, en['composer.stop']).click();
    await ended(page, 1);
    // The stored copy takes its place a moment later. Words that are formatted only then move it by a line or two.
    await page.waitForTimeout(1_500);
    expect(Math.abs((await read()).top - place)).toBeLessThan(100);
  });

  it('WEB-81: who scrolls away in the moment in which it follows its end has scrolled away', async () => {
    const { page } = await openProject(stage);
    await send(page, '/sim slow 20 /sim think 1 60000');
    const panel = reply(page, 1).locator('.reasoning').first();
    await panel.locator('.reasoning-toggle').click();
    const body = panel.getByRole('group', { name: en['reasoning.title'] });
    await body.waitFor();
    await eventually(() => body.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
    const followed = await body.evaluate(async (element) => {
      const growth = async (): Promise<void> =>
        new Promise((resolve) => {
          let calls = 0;
          const observer = new ResizeObserver(() => {
            // What is observed for the first time is told of without having grown.
            if ((calls += 1) === 1) return;
            observer.disconnect();
            resolve();
          });
          for (const child of element.children) observer.observe(child);
        });
      let count = 0;
      for (let time = 0; time < 12; time += 1) {
        element.dispatchEvent(new WheelEvent('wheel', { deltaY: 1, bubbles: true }));
        element.scrollTop = element.scrollHeight;
        await growth();
        await growth();
        // The page has moved to the new end, and is not yet told that it did.
        element.dispatchEvent(new WheelEvent('wheel', { deltaY: -1, bubbles: true }));
        const { scrollHeight: before } = element;
        for (let more = 0; more < 3; more += 1) await growth();
        const { scrollHeight, scrollTop, clientHeight } = element;
        if (scrollHeight > before + 24 && scrollHeight - scrollTop - clientHeight < 24) count += 1;
      }
      return count;
    });
    expect(followed).toBe(0);
    await button(page, en['composer.stop']).click();
    await ended(page, 1);
  });

  it('WEB-81: its time is that of the thinking alone, not of the whole call', async () => {
    const { page, projectId } = await openConversation(stage, ['/sim slow 25 /sim think 1 1200 /sim long 4000']);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    const [call] = groups[0]?.calls ?? [];
    const whole = Date.parse(call?.endedAt ?? '') - Date.parse(call?.startedAt ?? '');
    const thought = call?.usage?.reasoningMs ?? 0;
    expect(thought).toBeGreaterThan(100);
    expect(thought).toBeLessThan(whole / 2);
    const shown = await reply(page, 1).locator('.reasoning-toggle').innerText();
    expect(shown).toBe(`${en['reasoning.title']} · ${(thought / 1000).toFixed(1)} s`);
  });

  it('WEB-81: a long one scrolls by itself, and a choice survives scrolling past it', async () => {
    const { page } = await openConversation(stage, [
      '/sim think 1 64000 /sim markdown',
      ...Array.from({ length: 12 }, () => '/sim long 3000'),
    ]);
    const scroller = page.getByRole('region', { name: en['conversation.label'] });
    const scroll = (share: number) =>
      scroller.evaluate((element, at) => {
        element.scrollTop = element.scrollHeight * at;
      }, share);
    const toggle = reply(page, 1).locator('.reasoning-toggle');
    // Older turns are read on the way up, and what is being read keeps its place: it may leave the page at any moment.
    const expanded = () => toggle.getAttribute('aria-expanded', { timeout: 1_000 }).catch(() => null);
    await eventually(async () => {
      await scroll(0);
      if ((await expanded()) === 'false') await toggle.click({ timeout: 1_000 }).catch(() => undefined);
      return expanded();
    }).toBe('true');
    const body = reply(page, 1).locator('.reasoning-body');
    await body.locator('h3').first().waitFor();
    const { height, content } = await body.evaluate((element) => ({
      height: element.clientHeight,
      content: element.scrollHeight,
    }));
    expect(height).toBeLessThan(480);
    expect(content).toBeGreaterThan(height * 4);
    await scroll(1);
    await reply(page, 1).waitFor({ state: 'detached' });
    await eventually(async () => {
      await scroll(0);
      return body.isVisible();
    }).toBe(true);
  });

  it('WEB-82: opening 64 kB of it leaves the page responsive', async () => {
    const { page } = await openConversation(stage, ['/sim think 1 64000 /sim markdown']);
    await reply(page, 1).locator('.prose h2').first().waitFor();
    const longest = await longestTask(page, async () => {
      await reply(page, 1).locator('.reasoning-toggle').click();
      await reply(page, 1).locator('.reasoning-body h3').first().waitFor();
      await page.waitForTimeout(500);
    });
    // `npm run bench:web` has the goal, 100 ms; a slower machine gets three times that.
    expect(longest).toBeLessThan(300);
  });

  it('WEB-20: opens by itself for a reader who prefers that, also after a reload', async () => {
    const { page } = await openConversation(stage, ['hello']);
    expect(await reply(page, 1).getByText('The message says').count()).toBe(0);
    await page.evaluate(() => {
      localStorage.setItem('bough.preferences', JSON.stringify({ reasoningOpen: true }));
    });
    await page.reload();
    await reply(page, 1).getByText('The message says').first().waitFor();
  });

  it.each([
    ['sim-redacted', 'Partial'],
    ['sim-summary', 'Summary only'],
    ['sim-hidden', 'Hidden by provider'],
  ] as const)('WEB-21: of %s has the badge “%s”, with a sentence that explains it', async (model, badge) => {
    const { page } = await openConversation(stage, ['hello'], { provider: 'simulated', model });
    const mark = reply(page, 1).getByText(en[`badge.${badge}`], { exact: true });
    await mark.waitFor();
    await mark.focus();
    await page.getByRole('tooltip', { name: en[`badge.${badge}.why`] }).waitFor();
  });

  it('WEB-21: that is all encrypted has the badge “Redacted”', async () => {
    const { page } = await openConversation(stage, ['/sim think 0 /sim redacted 2']);
    await reply(page, 1).getByText(en['badge.Redacted'], { exact: true }).waitFor();
  });

  it('WEB-21: that is shown whole has no badge, and a turn without thinking no panel', async () => {
    const { page } = await openConversation(stage, ['hello'], { thinking: 'off' });
    expect(await reply(page, 1).locator('.reasoning').count()).toBe(0);
    await chooseThinking(page, 'high');
    await ask(page, 'now think', 2);
    expect(await reply(page, 2).locator('.reasoning').count()).toBe(1);
    expect(await reply(page, 2).locator('.badge.thought').count()).toBe(0);
  });

  it('WEB-790: a level that the server has not heard of yet counts for the message that is sent after it', async () => {
    const { page } = await openConversation(stage, ['hello'], { thinking: 'off' });
    const change = await heldChange(page, () => chooseThinking(page, 'high'));
    await send(page, 'now think');
    // On the screen at once all the same.
    await page.locator('.outgoing').getByText('now think').waitFor();
    await change.continue();
    await ended(page, 2);
    expect(await reply(page, 2).locator('.reasoning').count()).toBe(1);
  });

  it('WEB-790: if the level is refused, the message is written again instead of sent without it', async () => {
    const { page } = await openConversation(stage, ['hello'], { thinking: 'off' });
    stage.allow(/\b422\b/u);
    const change = await heldChange(page, () => chooseThinking(page, 'high'));
    await send(page, 'now think');
    await page.locator('.outgoing').getByText('now think').waitFor();
    // Whatever the reason is: this is one that the server has for every choice.
    await change.continue({ postData: { thinking: 'no such level' } });
    await page.locator('.composer').getByRole('alert').waitFor();
    await eventually(() => composer(page).inputValue()).toBe('now think');
    expect(await turn(page, 2).count()).toBe(0);
  });

  it('WEB-130: says what becomes of it; where it goes back by itself, there is nothing to choose', async () => {
    const { page } = await openConversation(stage, ['hello']);
    await reply(page, 1).locator('.reasoning-toggle').click();
    await reply(page, 1)
      .getByText(/^Goes back to Thinker.* with the next message, exactly as it was made\.$/)
      .waitFor();
    expect(await reply(page, 1).getByRole('checkbox').count()).toBe(0);
  });

  it('WEB-22, WEB-130: goes along as text only where it does not go back, after a choice that says beforehand what it does', async () => {
    const { page, projectId } = await openConversation(stage, ['hello']);
    await stage.server.client.createBranch(projectId, {
      name: 'gemini',
      fromRef: 'main',
      provider: 'simulated_gemini',
      model: 'sim-summary',
    });
    await branchLink(page, 'gemini').click();
    await onBranch(page, 'gemini');
    const panel = reply(page, 1).locator('.reasoning');
    await panel.locator('.reasoning-toggle').click();
    const choice = panel.getByRole('checkbox', { name: en['thinking.include'] });
    await panel.getByText(/^Not sent back to /).waitFor();
    expect(await choice.isChecked()).toBe(false);
    await choice.click();
    await panel.getByRole('status').waitFor();
    await eventually(() => choice.isChecked()).toBe(true);
    await choice.click();
    await panel.getByText(/^Not sent back to /).waitFor();
  });
});

describe('tools', () => {
  it('WEB-23: a call that needs approval asks in its place; allowed, it runs and the turn goes on', async () => {
    const { page } = await openProject(stage, { tools: ['calculator'] });
    await send(page, '/sim tools calculator');
    const card = page.locator('.tool', { hasText: en['tool.waiting'] });
    // The arguments are open: nobody can decide about a call whose arguments are folded away.
    await card.locator('pre', { hasText: /\d+ [*+]+ \d+/ }).waitFor();
    await button(card, en['tool.approve']).click();
    await ended(page, 1);
    await card.waitFor({ state: 'detached' });
    const run = turn(page, 1).locator('.tool', { hasText: 'calculator' });
    if (!(await run.first().isVisible())) await reply(page, 1).locator('.reasoning-toggle').first().click();
    await run.locator('summary').click();
    await run.getByText(en['tool.result']).waitFor();
  });

  it('WEB-23: a reload does not lose the question; declined, the model is told so', async () => {
    const { page, projectId } = await openProject(stage, { tools: ['calculator'] });
    await send(page, '/sim tools calculator');
    const prompt = page.getByRole('group', { name: /calculator/ });
    await prompt.waitFor();
    await page.reload();
    await button(prompt, en['tool.deny.ask']).click();
    await button(prompt, en['tool.deny']).click();
    await ended(page, 1);
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    expect(groups[0]?.reply.find((node) => node.role === 'tool')?.isError).toBe(true);
  });

  it('WEB-72: each of several calls asks in its own card, and the keys answer the first one', async () => {
    const { page, projectId } = await openProject(stage, { tools: ['calculator'] });
    await send(page, '/sim tools calculator x3');
    const cards = page.locator('.tool', { has: page.getByRole('group', { name: /calculator/ }) });
    await eventually(() => cards.count()).toBe(3);
    await page.keyboard.press('Alt+Y');
    await eventually(() => cards.count()).toBe(2);
    await page.keyboard.press('Alt+N');
    await cards.first().getByRole('textbox', { name: en['tool.deny.reason'] }).fill('the numbers are private');
    await page.keyboard.press('Enter');
    await eventually(() => cards.count()).toBe(1);
    // The focus went on to the next question, not to the body.
    await eventually(() => page.evaluate(() => document.activeElement?.className)).toBe('tool-approval');
    await button(cards.first(), en['tool.approve']).click();
    await ended(page, 1);
    await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe('composer');
    const { groups } = await stage.server.client.history(projectId, { ref: 'main' });
    const results = groups[0]?.reply.filter((node) => node.role === 'tool') ?? [];
    expect(results.map((node) => node.isError)).toEqual([false, true, false]);
    expect(results[1]?.content).toContain('the numbers are private');
  });

  it('WEB-15: on a Mac, where Alt types letters, they are written, unless a call waits for the answer', async () => {
    const { page } = await openProject(stage, { tools: ['calculator'] });
    const press = (key: string, code: string) =>
      composer(page).evaluate(
        (field, [typed, at]) =>
          !field.dispatchEvent(
            new KeyboardEvent('keydown', { key: typed, code: at, altKey: true, bubbles: true, cancelable: true }),
          ),
        [key, code] as const,
      );
    expect(await press('Dead', 'KeyN')).toBe(false);
    expect(await press('å', 'KeyA')).toBe(false);
    // Other keyboards type nothing with Alt.
    expect(await press('b', 'KeyB')).toBe(true);
    await send(page, '/sim tools calculator');
    await page.getByRole('group', { name: /calculator/ }).waitFor();
    expect(await press('å', 'KeyA')).toBe(true);
    await ended(page, 1);
  });

  it('WEB-72: a tool that is always allowed on a branch does not ask there again, until that is withdrawn', async () => {
    const { page, projectId } = await openProject(stage, { tools: ['calculator'] });
    await send(page, '/sim tools calculator');
    await button(page, en['tool.approve.always']).click();
    await ended(page, 1);
    await ask(page, '/sim tools calculator', 2);
    const details = await openPanel(page, 'details');
    await button(details, en['details.allowed.withdraw']).click();
    await eventually(async () => (await stage.server.client.listBranches(projectId)).branches[0]?.allowedTools).toBe(
      undefined,
    );
    await send(page, '/sim tools calculator');
    await page.getByRole('group', { name: /calculator/ }).waitFor();
    await button(page, en['composer.stop']).click();
  });

  it('WEB-72: the time of a tool does not count the waiting', async () => {
    const { page } = await openProject(stage, { tools: ['calculator'] });
    await send(page, '/sim tools calculator');
    await page.getByRole('group', { name: /calculator/ }).waitFor();
    await page.waitForTimeout(2500);
    await page.keyboard.press('Alt+Y');
    await ended(page, 1);
    for (const toggle of await reply(page, 1).locator('.reasoning-toggle').all()) await toggle.click();
    const run = reply(page, 1).locator('.tool summary').first();
    await run.waitFor();
    expect(await run.innerText()).not.toMatch(/[2-9](\.\d)? s/);
  });

  it('WEB-136: a call that asked shows its time, live and in the history alike', async () => {
    const { page } = await openProject(stage, { tools: ['calculator'] });
    await send(page, '/sim tools calculator');
    await page.getByRole('group', { name: /calculator/ }).waitFor();
    await page.waitForTimeout(1500);
    await page.keyboard.press('Alt+Y');
    await ended(page, 1);
    // The copy that arrived is gone a moment later: from then on the stored reply is shown.
    await page.waitForTimeout(1_000);
    for (const toggle of await reply(page, 1).locator('.reasoning-toggle').all()) await toggle.click();
    const time = reply(page, 1).locator('.tool .tool-time').first();
    await eventually(() => time.innerText()).toMatch(/^0\.\d s$/);
    await page.reload();
    await ended(page, 1);
    for (const toggle of await reply(page, 1).locator('.reasoning-toggle').all()) await toggle.click();
    await eventually(() => time.innerText()).toMatch(/^0\.\d s$/);
  });
});

describe('hostile Markdown', () => {
  const HOSTILE = [
    '<script>window.hacked = 1</script>',
    '<img src=x onerror="window.hacked = 2">',
    '[click](javascript:window.hacked=3)',
    '![picture](https://evil.example/pixel.png)',
    '<iframe src="https://evil.example"></iframe>',
    '[data](data:text/html,<script>window.hacked=4</script>)',
    '<a href="javascript:window.hacked=5">raw</a>',
    '$$\\href{javascript:window.hacked=6}{x}$$',
  ].join('\n\n');

  it('WEB-3: is shown and does nothing: no script, no request, no link that runs', async () => {
    const { page } = await openImported(stage, HOSTILE);
    const text = replyText(page, 2);
    await text.getByText('window.hacked = 1').first().waitFor();
    const links = await text.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((href) => href !== null && !/^https?:/.test(href))).toEqual([]);
    expect(await text.locator('script, iframe, img, [onerror]').count()).toBe(0);
    await text.getByText('click', { exact: true }).click();
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await composer(page).isVisible()).toBe(true);
  });

  it('WEB-3: a table wider than the screen scrolls inside itself', async () => {
    const row = (cell: string): string => `| ${Array.from({ length: 60 }, () => cell).join(' | ')} |`;
    const table = [row('heading'), row('---'), ...Array.from({ length: 200 }, () => row('cell'))].join('\n');
    const { page } = await openImported(stage, table);
    await page.getByRole('columnheader', { name: 'heading' }).nth(59).waitFor({ state: 'attached' });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
