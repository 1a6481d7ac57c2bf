import type { ProjectRecord } from '@bough/store';
import { describe, expect, it } from 'vitest';
import { bundleExamples, filesExamples, gitExamples, postgresExamples } from './data-model/layouts.ts';
import { rawOf, sampleProject, valueOf } from './data-model/sample.ts';
import { expectExamples, readDocument } from './examples.ts';
import { readable } from './readable.ts';
import type { Examples } from './replay/show.ts';

function entityExamples(records: readonly ProjectRecord[]): Examples {
  return new Map([
    ['entity/project', readable(valueOf(records, 'project'))],
    ['entity/branch', readable(valueOf(records, 'branch'))],
    ['entity/turn', readable(valueOf(records, 'turn'))],
    ['entity/question', readable(valueOf(records, 'node'))],
    ['entity/reply', readable(valueOf(records, 'node', 1))],
    ['entity/result', readable(valueOf(records, 'node', 2))],
    ['entity/call', readable(valueOf(records, 'call'))],
    ['entity/raw', readable(rawOf(records))],
    ['entity/rendering', readable(valueOf(records, 'rendering'))],
  ]);
}

describe('docs/data-model.md', () => {
  it('shows entities, files and tables as they really are', async () => {
    const records = await sampleProject();
    const parts = [
      entityExamples(records),
      await postgresExamples(records),
      await gitExamples(records),
      await filesExamples(records),
      await bundleExamples(records),
    ];
    expectExamples('docs/data-model.md', new Map(parts.flatMap((part) => [...part])));
  });

  it('explains every field of every entity', async () => {
    const document = readDocument('docs/data-model.md').replaceAll(/```[\s\S]*?```/g, '');
    const records = await sampleProject();
    const fields = new Set(records.flatMap(({ value }) => Object.keys(value)));
    expect([...fields].filter((field) => !document.includes(`\`${field}\``))).toEqual([]);
  });
});
