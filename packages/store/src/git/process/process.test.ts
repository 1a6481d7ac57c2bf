import { randomBytes } from 'node:crypto';
import { chmod, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createObjectBatch } from '../objects/object-batch.ts';
import { newRepository } from '../testing/workplace.ts';
import { createObjectReader } from './object-reader.ts';

describe('GIT-9: reading objects', () => {
  test('GIT-9: many requests at once are answered in order, large and missing ones too', async () => {
    const place = await newRepository();
    const { gitDir } = place;
    const reader = createObjectReader(place);
    onTestFinished(reader.close);
    const objects = createObjectBatch(gitDir);
    const contents = [0, 1, 70_000, 3_000_000].map((size) => Buffer.alloc(size, 'line\n'));
    const oids = contents.map((content) => objects.add('blob', content));
    await objects.flush();
    const answers = await Promise.all([...oids, 'f'.repeat(40), ...oids].map(reader.read));
    expect(answers[4]).toBeNull();
    for (const [at, content] of [...contents, null, ...contents].entries()) {
      if (content) expect(answers[at]?.content.equals(content)).toBe(true);
    }
    // One object added after the process was started, and one after the process was stopped.
    const later = objects.add('blob', Buffer.from('later'));
    await objects.flush();
    expect((await reader.read(later))?.content.toString()).toBe('later');
    await reader.close();
    expect((await reader.read(later))?.type).toBe('blob');
  });

  test('GIT-30: an object that is too large fails alone and is not read; the requests around it are answered', async () => {
    const place = await newRepository();
    const reader = createObjectReader(place, 5_000);
    onTestFinished(reader.close);
    const objects = createObjectBatch(place.gitDir);
    const [bad, good] = [objects.add('blob', Buffer.alloc(2_000_000)), objects.add('blob', Buffer.from('good'))];
    await objects.flush();
    const [first, second, third] = await Promise.allSettled([good, bad, good].map(reader.read));
    expect(first).toMatchObject({ status: 'fulfilled', value: { oid: good } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'corrupt_object' } });
    expect(String(second?.status === 'rejected' && second.reason)).toContain('has 2000000 bytes');
    expect(third).toMatchObject({ status: 'fulfilled', value: { oid: good } });
  });

  test('GIT-18: a damaged object fails alone; the requests behind it are answered', async () => {
    const place = await newRepository();
    const { gitDir } = place;
    const reader = createObjectReader(place);
    onTestFinished(reader.close);
    const objects = createObjectBatch(gitDir);
    const [bad, good] = [objects.add('blob', randomBytes(20_000)), objects.add('blob', Buffer.from('good'))];
    await objects.flush();
    const path = join(gitDir, 'objects', bad.slice(0, 2), bad.slice(2));
    await chmod(path, 0o644);
    await truncate(path, 9000);
    const [first, second, third] = await Promise.allSettled([good, bad, good].map(reader.read));
    expect(first?.status).toBe('fulfilled');
    expect(second).toMatchObject({
      status: 'rejected',
      reason: { code: 'corrupt_object', subject: `${gitDir} ${bad}` },
    });
    expect(third?.status).toBe('fulfilled');
  });
});
