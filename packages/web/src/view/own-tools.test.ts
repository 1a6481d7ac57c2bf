import { builtInTools } from '@bough/server';
import { expect, it } from 'vitest';
import { ownTool } from './own-tools.ts';

it('WEB-777: every tool of Bough has words for people', () => {
  expect([...builtInTools().keys()].filter((name) => ownTool(name) === undefined)).toEqual([]);
});
