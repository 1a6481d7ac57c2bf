import { describe, expect, it } from 'vitest';
import { createJoinedQuestions } from './joined-questions.ts';

describe('joined questions', () => {
  it('SIM-JOIN-1: commands of a message that failed are not obeyed again when it is joined with the next', () => {
    const { newPartOf } = createJoinedQuestions();
    expect(newPartOf('Hi /sim fault 500')).toBe('Hi /sim fault 500');
    // Asked again, as a retry does, it is the same question.
    expect(newPartOf('Hi /sim fault 500')).toBe('Hi /sim fault 500');
    expect(newPartOf('Hi /sim fault 500\n\nAnd now?')).toBe('And now?');
    expect(newPartOf('Hi /sim fault 500\n\nAgain /sim fault cut 3')).toBe('Again /sim fault cut 3');
    expect(newPartOf('Hi /sim fault 500\n\nAgain /sim fault cut 3\n\nThird')).toBe('Third');
  });

  it('SIM-JOIN-1: a command that begins like an earlier one is a command of its own', () => {
    const { newPartOf } = createJoinedQuestions();
    expect(newPartOf('/sim fault cut 1')).toBe('/sim fault cut 1');
    expect(newPartOf('/sim fault cut 10')).toBe('/sim fault cut 10');
    expect(newPartOf('/sim fault cut 1 /sim unicode')).toBe('/sim fault cut 1 /sim unicode');
  });

  it('SIM-JOIN-1: a longer question without commands is left whole', () => {
    const { newPartOf } = createJoinedQuestions();
    expect(newPartOf('What is love')).toBe('What is love');
    expect(newPartOf('What is love, really?')).toBe('What is love, really?');
  });
});
