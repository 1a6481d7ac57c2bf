import { describe, expect, it } from 'vitest';
import { fillIn, matchingPrompts, slashSearch, variablesIn } from './prompt-text.ts';

describe('prompts', () => {
  it('WEB-144: variables are found once, in order, with their defaults', () => {
    const text = '{{language: English}} and {{ text }} and {{language}}; {{}} {{ }} {not} {{a\nb}} {{two words:x:y}}';
    expect(variablesIn(text)).toEqual([
      { name: 'language', fallback: 'English' },
      { name: 'text', fallback: '' },
      { name: 'two words', fallback: 'x:y' },
    ]);
    expect(variablesIn('{{a}} {{a:later}}')).toEqual([{ name: 'a', fallback: 'later' }]);
  });

  it('WEB-144: each place of a variable is filled, and what is filled in is not looked at again', () => {
    const values = new Map([
      ['a', '{{b}} $&'],
      ['b', 'two'],
    ]);
    expect(fillIn('{{a}}, {{b:x}}, {{ b }}, {{c}}', values)).toBe('{{b}} $&, two, two, {{c}}');
  });

  it('WEB-143: a slash at the beginning searches, unless the simulator is meant', () => {
    expect(slashSearch('/')).toBe('');
    expect(slashSearch('/trans')).toBe('trans');
    expect(slashSearch('/simp')).toBe('simp');
    expect([slashSearch('/sim'), slashSearch('/sim say hello'), slashSearch(' /x'), slashSearch('/a\nb')]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('WEB-143: titles that begin alike come first, then those that contain it, then tags', () => {
    const prompt = (title: string, ...tags: string[]) => ({ title, tags, text: 'rev' });
    const prompts = [prompt('A', 'review'), prompt('Code review'), prompt('Review'), prompt('Other')];
    expect(matchingPrompts(prompts, 'rev').map(({ title }) => title)).toEqual(['Review', 'Code review', 'A']);
    expect(matchingPrompts(prompts, ' ')).toEqual(prompts);
  });
});
