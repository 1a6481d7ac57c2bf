import { expect, it } from 'vitest';
import { personsWords } from './index.ts';

it('TI-3: what a client put around the words of a person is not theirs', () => {
  expect(personsWords(['<system-reminder>\nToday is Monday.\n</system-reminder>', 'Fix the build.', ' Please.'])).toBe(
    'Fix the build. Please.',
  );
  expect(personsWords(['<environment_context><cwd>/</cwd></environment_context>'])).toBe('');
  expect(personsWords(['<b>bold</b> is HTML'])).toBe('<b>bold</b> is HTML');
});
