import { QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it } from 'vitest';
import { queryClient, refreshProject } from './queries.ts';

afterEach(() => queryClient.clear());

describe('reading a project again', () => {
  it('WEB-1: what changed during the first reading is read behind it', async () => {
    const readings: ((value: string) => void)[] = [];
    const observer = new QueryObserver(queryClient, {
      queryKey: ['project', 'p', 'history', 'b'],
      queryFn: () => new Promise<string>((resolve) => readings.push(resolve)),
    });
    const leave = observer.subscribe(() => undefined);
    const refreshed = refreshProject('p');
    readings[0]?.('before the change');
    await expect.poll(() => readings.length).toBe(2);
    readings[1]?.('after the change');
    await refreshed;
    expect(observer.getCurrentResult().data).toBe('after the change');
    leave();
  });

  it('WEB-1: another project is left alone', async () => {
    let count = 0;
    const observer = new QueryObserver(queryClient, {
      queryKey: ['project', 'other'],
      queryFn: () => Promise.resolve((count += 1)),
    });
    const leave = observer.subscribe(() => undefined);
    await expect.poll(() => observer.getCurrentResult().data).toBe(1);
    await refreshProject('p');
    expect(count).toBe(1);
    await refreshProject('other');
    expect(count).toBe(2);
    leave();
  });
});
