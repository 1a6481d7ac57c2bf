import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { launchBrowser } from './browser.ts';
import type { ProblemWatch } from './problems.ts';
import { watchProblems } from './problems.ts';
import type { TestServer } from './server.ts';
import { startServer } from './server.ts';

export interface Stage {
  readonly server: TestServer;
  /** A page in a fresh browser profile, in which nothing was ever stored. */
  readonly open: (path?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** What this test breaks on purpose. */
  readonly allow: (...patterns: readonly RegExp[]) => void;
}

const WAIT_MS = 30_000;

/**
 * One server and one browser per test file, a fresh profile per test; a test in which anything else went wrong fails.
 */
export function useStage(file: unknown = {}, token?: string, webDir?: () => string): Stage {
  let server: TestServer | null = null;
  let browser: Browser | null = null;
  let contexts: { readonly context: BrowserContext; readonly problems: ProblemWatch }[] = [];
  let allowed: RegExp[] = [];

  beforeAll(async () => {
    server = await startServer(file, token, webDir?.());
    browser = await launchBrowser();
  });
  afterEach(async () => {
    const found = contexts.flatMap(({ problems }) => {
      problems.allow(...allowed);
      problems.stop();
      return problems.found();
    });
    await Promise.all(contexts.map(({ context }) => context.close()));
    contexts = [];
    allowed = [];
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  return {
    get server() {
      return running(server);
    },
    open: async (path = '/', options = {}) => {
      const { url } = running(server);
      const context = await running(browser).newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: 'reduce',
        locale: 'en-GB',
        // Where it matters, a test allows it: what a service worker fetches, a test cannot intercept.
        serviceWorkers: 'block',
        ...options,
      });
      context.setDefaultTimeout(WAIT_MS);
      contexts.push({ context, problems: watchProblems(context, url) });
      const page = await context.newPage();
      await page.goto(`${url}${path}`);
      return page;
    },
    allow: (...patterns) => {
      allowed.push(...patterns);
    },
  };
}

function running<Value>(value: Value | null): Value {
  if (value === null) throw new Error('The stage is set up before the first test and taken down after the last.');
  return value;
}
