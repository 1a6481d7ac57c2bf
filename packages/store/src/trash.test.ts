import { expect, it } from 'vitest';
import { isTrashEntry } from './trash.ts';

const ENTRY = {
  id: 'e1',
  deletedAt: '2026-11-16T12:00:00.000Z',
  kind: 'branch',
  projectId: 'p1',
  projectName: 'P',
  title: 'main',
  messages: 0,
  branches: [{ id: 'b1', name: 'main', from: 'n1', to: null }],
};

it('ST-80: an entry of the trash that was damaged is not taken for one', () => {
  expect(isTrashEntry(ENTRY)).toBe(true);
  for (const key of Object.keys(ENTRY)) expect(isTrashEntry({ ...ENTRY, [key]: undefined }), key).toBe(false);
  expect(isTrashEntry({ ...ENTRY, kind: 'poem' })).toBe(false);
  expect(isTrashEntry({ ...ENTRY, branches: [{ id: 'b1' }] })).toBe(false);
});
