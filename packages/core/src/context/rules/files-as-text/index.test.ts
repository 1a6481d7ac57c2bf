import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  AttachedBlock,
  AudioBlock,
  ContentBlock,
  DocumentBlock,
  FileBlock,
  ImageBlock,
} from '../../../blocks/index.ts';
import type { Role } from '../../../messages/index.ts';
import type { TreeNode } from '../../../entities/index.ts';
import { blobHash, nodeId, projectId } from '../../../entities/index.ts';
import { sha256 } from '../../../hash/index.ts';
import { estimateFileTokens } from '../../../tokens/index.ts';
import { createNode } from '../../../tree/index.ts';
import type { AssembledContext } from '../../assemble.ts';
import { assembleContext } from '../../assemble.ts';
import type { FileLimits, FilePolicy } from '../../files/index.ts';
import { CLAUDE, outline, reportOf } from '../../testing.ts';

const stored = (name: string, mediaType: string, size = 300) => ({ hash: blobHash(sha256(name)), mediaType, size });
const image = (name: string, size = 300, side = 80): ImageBlock => ({
  type: 'image',
  name,
  file: stored(name, 'image/png', size),
  width: side,
  height: 60,
});
const pdf: DocumentBlock = {
  type: 'document',
  name: 'paper.pdf',
  file: stored('paper', 'application/pdf'),
  pages: 2,
  text: { ...stored('paper text', 'text/plain'), characters: 40 },
};
const scan: DocumentBlock = { type: 'document', name: 'scan.pdf', file: stored('scan', 'application/pdf'), pages: 1 };
const sound: AudioBlock = { type: 'audio', name: 'a\n[1].wav', file: stored('sound', 'audio/wav'), seconds: 11.2 };
const table: FileBlock = {
  type: 'file',
  name: 'a.csv',
  file: stored('csv', 'text/csv'),
  text: { ...stored('csv', 'text/csv'), characters: 9 },
};
const archive: FileBlock = { type: 'file', name: 'a.zip', file: stored('zip', 'application/zip', 12) };

const policy = (change: Partial<FilePolicy> = {}): FilePolicy => ({
  takes: ({ type, ...block }) => type !== 'file' || 'text' in block,
  limits: {},
  tokens: estimateFileTokens,
  otherwise: 'text',
  ...change,
});
const TEXT_ONLY = policy({ takes: (block) => block.type === 'file' && block.text !== undefined });

/** Roles and blocks, one node after the other. */
function path(...steps: readonly (readonly [Role, ...ContentBlock[]])[]): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  for (const [index, [role, ...contentBlocks]] of steps.entries()) {
    nodes.push(
      createNode({
        id: nodeId(`n${index}`),
        projectId: projectId('p'),
        parentId: nodes.at(-1)?.id ?? null,
        role,
        contentBlocks,
        createdAt: '',
        ...(role === 'assistant' && { provider: 'claude', modelUsed: 'opus' }),
        ...(role === 'tool' && { toolCallId: 'c' }),
      }),
    );
  }
  return nodes;
}

const say = (text: string): ContentBlock => ({ type: 'text', text });
const assemble = (nodes: readonly TreeNode[], files: FilePolicy, more = {}) =>
  assembleContext(nodes, { ...CLAUDE, files, ...more });
const blocksOf = (context: AssembledContext): readonly ContentBlock[] =>
  context.items.flatMap(({ message }): readonly ContentBlock[] => message.content);

describe('files-as-text', () => {
  it('CX-60: what the model takes stays as it is, and so does the report', () => {
    const context = assemble(path(['user', say('Look'), image('a.png'), pdf, sound, table]), policy());
    expect(outline(context)).toEqual(['canonical | user: "Look" image document audio file']);
    expect(reportOf(context)).toEqual(['n0: verbatim']);
  });

  it('CX-61: what it does not take is sent as its text, or named in a line; the report says which', () => {
    const whole = [image('a.png'), pdf, scan, sound, table, archive];
    const context = assemble(path(['user', say('Look'), ...whole]), TEXT_ONLY);
    expect(blocksOf(context)).toEqual([
      say('Look\n\n[picture: a.png, 80 × 60]'),
      { type: 'file', name: 'paper.pdf', file: pdf.text, text: pdf.text },
      say('[document: scan.pdf, 1 page]\n\n[audio: a 1.wav, 12 s]'),
      table,
      say('[file: a.zip, application/zip, 12 bytes]'),
    ]);
    expect(reportOf(context)).toEqual(['n0: canonical file_as_line file_as_text']);
  });

  it('CX-62: or is left out, if the user wants that; a message of nothing else is named all the same', () => {
    const omit = { ...TEXT_ONLY, otherwise: 'omit' } as const;
    const context = assemble(path(['user', say('Look'), image('a.png'), pdf]), omit);
    expect(blocksOf(context)).toEqual([say('Look')]);
    expect(reportOf(context)).toEqual(['n0: canonical file_left_out']);
    expect(blocksOf(assemble(path(['user', image('a.png')]), omit))).toEqual([say('[picture: a.png, 80 × 60]')]);
  });

  it('CX-63: what is over a limit is named, oldest first, and a quarter of the limit stays free', () => {
    const five = path(...[1, 2, 3, 4, 5].map((at): readonly [Role, ContentBlock] => ['user', image(`${at}`)]));
    const kept = (limits: FileLimits) =>
      blocksOf(assemble(five, policy({ limits })))
        .filter(({ type }) => type === 'image')
        .map((block) => (block as ImageBlock).name);
    expect(kept({ images: 5 })).toEqual(['1', '2', '3', '4', '5']);
    expect(kept({ images: 4 })).toEqual(['3', '4', '5']);
    expect(kept({ bytes: 4 * 400 })).toEqual(['3', '4', '5']);
    expect(kept({ images: 1 })).toEqual(['5']);
    expect(reportOf(assemble(five, policy({ limits: { images: 4 } })))[0]).toContain('file_over_limit');
  });

  it('CX-63: pages count in the same way, and too large pictures among too many', () => {
    const pages = assemble(path(['user', pdf, scan, { ...pdf }]), policy({ limits: { pages: 4 } }));
    expect(blocksOf(pages).map(({ type }) => type)).toEqual(['text', 'document', 'document']);
    const limits: FileLimits = { manyImages: { count: 2, side: 100 } };
    const [small, large] = [image('small'), image('large', 300, 101)];
    expect(blocksOf(assemble(path(['user', small, large]), policy({ limits })))).toEqual([small, large]);
    const three = assemble(path(['user', small, large, image('third')]), policy({ limits }));
    expect(blocksOf(three).map(({ type }) => type)).toEqual(['image', 'text', 'image']);
  });

  it('CX-64: what was left out once stays out while the conversation grows', () => {
    const anySize = fc.record({ size: fc.nat(900), side: fc.integer({ min: 1, max: 300 }) });
    const anyLimits = fc.record(
      {
        images: fc.integer({ min: 1, max: 6 }),
        bytes: fc.integer({ min: 300, max: 3_000 }),
        manyImages: fc.record({ count: fc.nat(5), side: fc.integer({ min: 1, max: 300 }) }),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<FileLimits>;
    fc.assert(
      fc.property(fc.array(anySize, { minLength: 1, maxLength: 14 }), anyLimits, (sizes, limits) => {
        const images = sizes.map(({ size, side }, at) => image(`${at}`, size, side));
        const outAfter = (count: number) => {
          const nodes = path(...images.slice(0, count).map((block): readonly [Role, ContentBlock] => ['user', block]));
          const sent = new Set(blocksOf(assemble(nodes, policy({ limits }))));
          return images.slice(0, count).filter((block: AttachedBlock) => !sent.has(block));
        };
        let before: readonly AttachedBlock[] = [];
        for (let count = 1; count <= images.length; count += 1) {
          const out = outAfter(count);
          expect(out).toEqual(expect.arrayContaining([...before]));
          before = out;
        }
      }),
    );
  });

  it('CX-65: pictures of a reply that is sent as text are named in it; beside its original nothing is reported', () => {
    const nodes = path(['user', say('Draw')], ['assistant', say('Here:'), image('a.png')], ['user', say('Thanks')]);
    const other = assemble(nodes, TEXT_ONLY, { hasRaw: () => false });
    expect(outline(other)[1]).toBe('canonical | assistant: "Here:" "[picture: a.png, 80 × 60]"');
    expect(reportOf(other)[1]).toBe('n1: canonical raw_missing file_as_line');
    expect(reportOf(assemble(nodes, policy()))[1]).toBe('n1: verbatim');
  });

  it('CX-68: a model that takes pictures gets those of earlier replies before the reply, in the turn of the reply', () => {
    const drawn = image('a.png');
    const nodes = path(['user', say('Draw')], ['assistant', say('Here:'), drawn], ['user', say('Which colour?')]);
    const gpt = { lock: { provider: 'gpt', model: 'five' } };
    const context = assemble(nodes, policy(), gpt);
    expect(context.items.map(({ message }) => message.content)).toEqual([
      [say('Draw'), say('[The next reply holds what follows:]'), drawn],
      [say('Here:'), say('[picture: a.png, 80 × 60]')],
      [say('Which colour?')],
    ]);
    expect(reportOf(context)[1]).toBe('n1: canonical model_break file_before_reply');
    // What was sent stays as it was when the conversation grows.
    const more = path(
      ['user', say('Draw')],
      ['assistant', say('Here:'), drawn],
      ['user', say('Which colour?')],
      ['assistant', say('Red.')],
      ['user', say('Thanks')],
    );
    expect(outline(assemble(more, policy(), gpt)).slice(0, 3)).toEqual(outline(context));
    expect(context.estimatedTokens - assemble(nodes, TEXT_ONLY, gpt).estimatedTokens).toBeGreaterThan(
      estimateFileTokens(drawn) - 1,
    );
  });

  it('CX-68: behind the result of a tool it stands in a message of its own; what was drawn in thought is not sent', () => {
    const call: ContentBlock = { type: 'tool-use', id: 'c', name: 'look', parameters: {} };
    const thought: ImageBlock = { ...image('draft.png'), inThought: true };
    const nodes = path(
      ['user', say('Draw')],
      ['assistant', call],
      ['tool', say('Seen.')],
      ['assistant', thought, image('a.png')],
      ['user', say('Thanks')],
    );
    const gpt = { lock: { provider: 'gpt', model: 'five' }, keepToolsAfterBreak: true };
    const context = assemble(nodes, policy(), gpt);
    expect(context.items.map(({ message, synthetic }) => [message.role, synthetic])).toEqual([
      ['user', false],
      ['assistant', false],
      ['tool', false],
      ['user', true],
      ['assistant', false],
      ['user', false],
    ]);
    expect(JSON.stringify(context.items)).not.toContain('draft.png');
    const strict = policy({ takes: (_, { role }) => role !== 'tool' });
    expect(reportOf(assemble(nodes, strict, gpt))[3]).toBe('n3: canonical model_break file_as_line');
  });

  it('CX-69: pictures inside of a reply that goes back as it was made count, with the size that they have there', () => {
    const drawn: ImageBlock = { ...image('a.png', 300, 1_000), original: stored('large', 'image/png', 9_000) };
    const nodes = path(['user', say('Draw')], ['assistant', drawn], ['user', say('Again')]);
    const context = assemble(nodes, policy());
    const line = context.report[1]?.estimatedTokens ?? 0;
    expect(line).toBeGreaterThan(estimateFileTokens(drawn));
    expect([...context.sentFiles.values()].flat()).toMatchObject([{ file: { size: 9_000 } }]);
  });

  it('CX-69: where they are more than a request holds, the oldest of these replies go as text', () => {
    const drawn = (name: string): ImageBlock => ({
      ...image(name),
      original: stored(`large ${name}`, 'image/png', 900),
    });
    const nodes = path(
      ['user', say('Draw')],
      ['assistant', drawn('a.png')],
      ['user', say('Again')],
      ['assistant', drawn('b.png')],
      ['user', say('Again')],
    );
    const context = assemble(nodes, policy({ limits: { bytes: 2_000 } }));
    expect(reportOf(context).slice(1, 4)).toEqual(['n1: canonical file_over_limit', 'n2: verbatim', 'n3: verbatim']);
    expect(outline(context)[1]).toBe('canonical | assistant: "[picture: a.png, 80 × 60]"');
  });

  it('CX-66: where a call is sent as a sentence, the files of its result are named in it', () => {
    const call: ContentBlock = { type: 'tool-use', id: 'c', name: 'draw', parameters: {} };
    const nodes = path(
      ['user', say('Draw')],
      ['assistant', call],
      ['tool', say('Done.'), image('a.png')],
      ['user', say('Thanks')],
    );
    const context = assemble(nodes, policy(), { lock: { provider: 'gpt', model: 'five' } });
    expect(JSON.stringify(context.items[1])).toContain('It answered: Done.\\n[picture: a.png, 80 × 60]]');
  });

  it('CX-67: how files are sent is part of the prefix; files that are sent as files change no key', () => {
    const nodes = path(['user', image('a.png')]);
    const keyOf = (files?: FilePolicy) => assembleContext(nodes, { ...CLAUDE, files }).madeWith.prefix;
    expect(keyOf(policy())).toBe(keyOf());
    expect(new Set([keyOf(), keyOf(TEXT_ONLY), keyOf({ ...TEXT_ONLY, otherwise: 'omit' })]).size).toBe(3);
  });

  it('TK-10: a file costs what the model says, and what is named costs what the line costs', () => {
    const nodes = path(['user', image('a.png')]);
    const cost = (files: FilePolicy) => assemble(nodes, files).estimatedTokens;
    expect(cost(policy({ tokens: () => 5_000 })) - cost(policy({ tokens: () => 1_000 }))).toBe(4_000);
    expect(cost(TEXT_ONLY)).toBeLessThan(40);
  });
});
