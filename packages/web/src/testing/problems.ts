import type { BrowserContext } from 'playwright-core';

/**
 * What must not happen in a browser during a test: errors on the console or in the page, failed requests, requests that
 * leave the machine.
 */
export interface ProblemWatch {
  /** Names what this test provokes on purpose. */
  readonly allow: (...patterns: readonly RegExp[]) => void;
  readonly found: () => readonly string[];
  readonly stop: () => void;
}

export function watchProblems(context: BrowserContext, origin: string): ProblemWatch {
  const problems: string[] = [];
  const allowed: RegExp[] = [];
  let watching = true;
  const report = (problem: string): void => {
    if (watching) problems.push(problem);
  };
  context.on('console', (message) => {
    if (message.type() === 'error') report(`console: ${message.text().slice(0, 400)} (${message.location().url})`);
  });
  context.on('weberror', (webError) => {
    const error = webError.error();
    report(`page: ${error.stack ?? error.message}`);
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      report(`request to another place: ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'unknown';
    // An aborted request is the page's own decision: it navigated away, or no longer needs the answer.
    if (reason !== 'net::ERR_ABORTED') report(`failed: ${request.method()} ${request.url()} ${reason}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400)
      report(`answered ${response.status()}: ${response.request().method()} ${response.url()}`);
  });
  return {
    allow: (...patterns) => {
      allowed.push(...patterns);
    },
    found: () => problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem))),
    stop: () => {
      watching = false;
    },
  };
}
