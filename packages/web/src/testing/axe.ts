import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { barriers } from './barriers.ts';

export async function expectAccessible(page: Page, where: string): Promise<void> {
  expect(await barriers(page), where).toEqual([]);
}
