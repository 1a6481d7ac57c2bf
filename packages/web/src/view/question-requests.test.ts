import type { AnnotationView } from '@bough/api/client';
import { expect, it } from 'vitest';
import { MESSAGES_PER_REQUEST, questionRequests } from './question-requests.ts';

const annotation = (kind: AnnotationView['kind'], index: number): AnnotationView => ({
  projectId: 'p',
  nodeId: `n${index}`,
  kind,
  name: `b${index}`,
  text: 'Why?',
  changedAt: new Date(index * 1000).toISOString(),
});

it('WEB-724: nothing is requested where nothing was asked; messages that were asked about come together', () => {
  expect(questionRequests([annotation('star', 1), annotation('note', 1)], ['n1'])).toEqual([]);
  const many = Array.from({ length: MESSAGES_PER_REQUEST + 5 }, (_, index) => annotation('question', index));
  expect(questionRequests(many, ['elsewhere'])).toEqual([]);
  const [first] = questionRequests(many, ['n0']);
  expect(first?.length).toBe(MESSAGES_PER_REQUEST);
  expect(questionRequests(many, ['n3'])).toEqual([first]);
  // A later question changes no earlier request.
  expect(questionRequests([annotation('question', 99), ...many], ['n0'])).toEqual([first]);
  expect(questionRequests(many, ['n0', `n${MESSAGES_PER_REQUEST}`]).length).toBe(2);
});
