import type { Page } from 'playwright-core';

/** Requests to the API from now on, without what only tells of changes. */
export function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/') && !pathname.endsWith('/watch')) asked.push(`${request.method()} ${pathname}`);
  });
  return asked;
}

/** Waits until a second has passed without a request. */
export async function untilQuiet(page: Page, asked: readonly string[]): Promise<void> {
  for (let before = -1; before !== asked.length;) {
    before = asked.length;
    await page.waitForTimeout(1_000);
  }
}
