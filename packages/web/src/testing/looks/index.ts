import type { Page } from 'playwright-core';
import { covered } from './covered.ts';
import { cut } from './cut.ts';
import { focus, focusAfter } from './focus.ts';
import { icons } from './icons.ts';
import { outside } from './outside.ts';
import { overlays } from './overlays.ts';
import type { Check } from './seeing.ts';
import { seeing } from './seeing.ts';
import { title } from './title.ts';

export interface Finding {
  readonly check: string;
  readonly what: string;
}

const LOOKS = { outside, covered, overlays, icons, cut, focus, title };
const AFTER_CLOSING = { focus: focusAfter };

/** The faults of the current page that a machine can see. */
export function look(page: Page): Promise<readonly Finding[]> {
  return run(page, LOOKS);
}

/** The same, for the moment after a menu or a dialog has closed. */
export function lookAfterClosing(page: Page): Promise<readonly Finding[]> {
  return run(page, AFTER_CLOSING);
}

/** As a debugger expression: the page's security policy allows no scripts but its own. */
function run(page: Page, checks: Readonly<Record<string, Check>>): Promise<readonly Finding[]> {
  const calls = Object.entries(checks).map(
    ([name, check]) => `...(${String(check)})(seen).map((what) => ({ check: '${name}', what }))`,
  );
  return page.evaluate<readonly Finding[]>(
    `(() => { const seen = (${String(seeing)})(); return [${calls.join(', ')}]; })()`,
  );
}
