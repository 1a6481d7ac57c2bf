import { describe, expect, it } from 'vitest';
import { fromFile, toJson, toMarkdown } from './prompt-files.ts';

const PROMPTS = [
  { title: 'Translate', text: 'Into {{language:English}}:\n\n{{text}}', tags: ['words', 'daily'] },
  { title: 'Nested', text: '## Not a title\n\n~~~~ts\ncode\n~~~~\n', tags: [] },
];

describe('prompt files', () => {
  it('WEB-146: what is exported is imported the same, as JSON and as Markdown', () => {
    expect(fromFile('a.json', toJson(PROMPTS))).toEqual(PROMPTS);
    expect(fromFile('a.md', toMarkdown(PROMPTS))).toEqual(PROMPTS);
    expect(fromFile('a.md', toMarkdown(PROMPTS).replaceAll('\n', '\r\n'))).toEqual(PROMPTS);
  });

  it('WEB-146: files of other programs, and plain texts, are understood', () => {
    const other = JSON.stringify([{ name: ' One ', prompt: 'Do it.' }, { name: 'Empty' }, 7]);
    expect(fromFile('other.json', other)).toEqual([{ title: 'One', text: 'Do it.', tags: [] }]);
    expect(fromFile('Be brief.md', 'Answer in\none line.')).toEqual([
      { title: 'Be brief', text: 'Answer in\none line.', tags: [] },
    ]);
    expect(fromFile('x.md', '# Named\n\nText')).toEqual([{ title: 'Named', text: 'Text', tags: [] }]);
    expect(fromFile('x.json', '{ "broken": ')).toEqual([]);
  });
});
