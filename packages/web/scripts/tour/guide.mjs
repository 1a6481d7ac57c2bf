// Takes a step in each of its views: opens the page, takes a picture, inspects it, and records what is wrong.
import { join } from 'node:path';

const WAIT_MS = 15_000;

export function createGuide({ browser, worlds, looks, barriers, words, out }) {
  const pictures = [];
  const findings = [];

  const note = (picture, found) => {
    for (const { check, what } of found) findings.push({ picture, check, what });
  };

  /** What a step can do, expressed in the words of the view's language. */
  const createVisit = (step, view) => {
    const catalogue = words[view.language];
    const t = (key, values = {}) =>
      Object.entries(values).reduce((text, [name, value]) => text.replace(`{${name}}`, value), catalogue[key]);
    let context = null;
    let page = null;
    const shot = async (label = '') => {
      await settle(page);
      const number = pictures.length + 1;
      const name = [step.name, label, view.name].filter(Boolean).join('-');
      const file = `${String(number).padStart(3, '0')}-${name}.png`;
      await page.screenshot({ path: join(out, 'pictures', file), animations: 'disabled' });
      const picture = { number, name, file, title: await page.title(), path: pathOf(page) };
      pictures.push(picture);
      note(picture, await looks.look(page));
      // Cut to what names the place: the same barrier in twenty pictures is one finding.
      note(
        picture,
        (await barriers(page)).map((what) => ({ check: 'axe', what: what.replaceAll(/\s+/g, ' ').slice(0, 240) })),
      );
      return picture;
    };
    return {
      t,
      view,
      worlds,
      shot,
      page: () => page,
      open: async (url, preferences = {}) => {
        context = await browser.newContext({
          viewport: view.size,
          hasTouch: view.isTouch,
          reducedMotion: 'reduce',
          serviceWorkers: 'block',
          locale: view.language === 'zh' ? 'zh-CN' : 'en-GB',
          permissions: ['clipboard-write'],
        });
        context.setDefaultTimeout(WAIT_MS);
        context.on('weberror', (thrown) => note(pictures.at(-1), [{ check: 'thrown', what: thrown.error().message }]));
        const stored = { theme: view.theme, language: view.language, ...preferences };
        await context.addInitScript((text) => {
          // An empty page has no storage.
          if (window.origin !== 'null') localStorage.setItem('bough.preferences', text);
        }, JSON.stringify(stored));
        page = await context.newPage();
        await page.goto(url);
        return page;
      },
      /** Closes what was just photographed, and checks where the keyboard focus is afterwards. */
      close: async (overlay, key = 'Escape') => {
        const picture = pictures.at(-1);
        await page.keyboard.press(key);
        await overlay.waitFor({ state: 'hidden' });
        await settle(page);
        note(picture, await looks.lookAfterClosing(page));
      },
      end: async () => {
        // A request that a step holds back would end the tour when its page is gone.
        await page?.unrouteAll({ behavior: 'ignoreErrors' });
        await context?.close();
      },
    };
  };

  return {
    pictures: () => pictures,
    findings: () => findings,
    take: async (step) => {
      for (const view of step.views) {
        const visit = createVisit(step, view);
        try {
          await step.run(visit);
        } catch (error) {
          // The rest of the tour is still worth seeing.
          const picture = visit.page() === null ? null : await visit.shot('where-it-ended');
          findings.push({
            picture,
            check: 'step',
            what: `${step.name} (${view.name}): ${String(error).split('\n')[0]}`,
          });
        } finally {
          await visit.end();
        }
      }
      process.stderr.write(`${step.group} ${step.name}\n`);
    },
  };
}

/** Waits until what was requested has arrived and been drawn; a page that streams is never quite still. */
async function settle(page) {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.waitForTimeout(250);
}

function pathOf(page) {
  return new URL(page.url()).pathname;
}
