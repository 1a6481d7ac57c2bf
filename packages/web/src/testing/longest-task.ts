import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor, where the event is a task. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * The longest task of the page during the work, in milliseconds of the processor: time on the clock would depend on
 * what else the machine does. Meanwhile nobody can use the page.
 */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const place = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const pages = new Set(
    trace.traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(place),
  );
  const tasks = trace.traceEvents.filter((event) => event.tdur !== undefined && pages.has(place(event)));
  if (tasks.length === 0) throw new Error('The trace holds no task of the page.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
