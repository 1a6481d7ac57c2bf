import type { AttachedBlock, ContentBlock } from '../../../blocks/index.ts';
import { isAttachedBlock, isTextBlock } from '../../../blocks/index.ts';
import type { NodeId } from '../../../entities/index.ts';
import { messageOf } from '../../../messages/index.ts';
import type { ContextRule, ItemDraft, NodeOutcome } from '../../assembly.ts';
import { recordOutcome, withContent, withItem } from '../../assembly.ts';
import type { FileLimits, FilePolicy, FileWhere } from '../../files/index.ts';
import { base64Length, fileAsLine, textOfFile } from '../../files/index.ts';
import type { ContextReason } from '../../items.ts';

/**
 * When the files of a request come to more than it may hold, the oldest become lines until this share of the limit is
 * used. Naming only what is needed would name another one with every new file, and change the prefix every time.
 */
const FILL_AFTER_LIMIT = 0.75;

/**
 * What the model does not take is sent as its text or named in a line, and so is what comes to more than a request may
 * hold, oldest first.
 *
 * No API takes files in replies. Where a reply is not sent as it was made, a line names its files in their places, and
 * the files themselves stand before it in the name of the user. Behind it they would be joined to the next message: the
 * end of a turn would then depend on the turn that follows.
 */
export const filesAsText: ContextRule = {
  name: 'files-as-text',
  apply: (assembly, { files }) => {
    if (files === undefined || !assembly.drafts.some(hasFiles)) return assembly;
    const over = overLimit(sentFiles(assembly.drafts, files), files.limits);
    const outcomes = new Map(assembly.outcomes);
    const drafts = assembly.drafts.flatMap((draft, index) => {
      if (!hasFiles(draft)) return [draft];
      if (draft.item.message.role !== 'assistant') return [rewritten(draft, files, over, outcomes)];
      return rewrittenReply(draft, placeBefore(assembly.drafts, index), files, over, outcomes);
    });
    return { ...assembly, drafts, outcomes };
  },
};

/** Whether files come to more than one request may hold. */
export function exceeds(sent: readonly AttachedBlock[], limits: FileLimits): boolean {
  return (
    overLimit(
      sent.map((block) => ({ block, weighed: block })),
      limits,
    ).size > 0
  );
}

const hasFiles = ({ item }: ItemDraft): boolean => {
  const blocks: readonly ContentBlock[] = item.message.content;
  return blocks.some(isAttachedBlock);
};

const filesIn = ({ item }: ItemDraft): readonly AttachedBlock[] => {
  const blocks: readonly ContentBlock[] = item.message.content;
  return blocks.filter(isAttachedBlock);
};

function whereOf({ item }: ItemDraft): FileWhere | null {
  const { role } = item.message;
  return role === 'system' ? null : { role, isError: item.isError === true };
}

/** Where the files of a reply are sent: behind what comes before it. Null where nothing does. */
function placeBefore(drafts: readonly ItemDraft[], index: number): FileWhere | null {
  const before = drafts[index - 1];
  if (before === undefined) return null;
  return { role: before.item.message.role === 'tool' ? 'tool' : 'user', isError: false };
}

/** A file of a message, and as what it counts. */
interface SentFile {
  readonly block: AttachedBlock;
  readonly weighed: AttachedBlock;
}

/** The files that go into the request, in order. */
function sentFiles(drafts: readonly ItemDraft[], files: FilePolicy): readonly SentFile[] {
  return drafts.flatMap((draft, index) => sentOf(draft, placeBefore(drafts, index), files));
}

function sentOf(draft: ItemDraft, before: FileWhere | null, files: FilePolicy): readonly SentFile[] {
  const isReply = draft.item.message.role === 'assistant';
  const where = isReply ? before : whereOf(draft);
  const found = filesIn(draft).filter((block) => isBinary(block) && block.inThought !== true);
  // It goes back as the provider sent it, whatever was made of it here.
  if (isReply && draft.item.source === 'raw')
    return found.map((block) => ({ block, weighed: { ...block, file: block.original ?? block.file } }));
  if (where === null) return [];
  return found.filter((block) => files.takes(block, where)).map((block) => ({ block, weighed: block }));
}

/** By node: the files that go into the request, as what they count. */
export function filesPerNode(
  drafts: readonly ItemDraft[],
  files: FilePolicy,
): ReadonlyMap<NodeId, readonly AttachedBlock[]> {
  const found = new Map<NodeId, readonly AttachedBlock[]>();
  for (const [index, draft] of drafts.entries()) {
    const sent = sentOf(draft, placeBefore(drafts, index), files).map(({ weighed }) => weighed);
    if (sent.length > 0) found.set(draft.node.id, [...(found.get(draft.node.id) ?? []), ...sent]);
  }
  return found;
}

const isBinary = ({ type }: AttachedBlock): boolean => type !== 'file';

/**
 * Walks the files in order, so that a longer conversation repeats what was decided when it was shorter: a file that was
 * once left out stays out.
 */
function overLimit(sent: readonly SentFile[], limits: FileLimits): ReadonlySet<AttachedBlock> {
  const over = new Set<AttachedBlock>();
  let kept: SentFile[] = [];
  const leave = (file: SentFile): void => {
    over.add(file.block);
    kept = kept.filter((other) => other !== file);
  };
  for (const file of sent) {
    kept.push(file);
    const { manyImages } = limits;
    if (manyImages !== undefined && kept.filter(isImage).length > manyImages.count) {
      for (const image of kept.filter((other) => isLarge(other, manyImages.side))) leave(image);
    }
    for (const [weigh, limit] of weighers(limits)) {
      if (sum(kept, weigh) <= limit) continue;
      for (const oldest of kept.filter((other) => weigh(other) > 0)) {
        if (sum(kept, weigh) <= limit * FILL_AFTER_LIMIT) break;
        // The newest stays as long as it fits by itself.
        if (oldest !== file || weigh(file) > limit) leave(oldest);
      }
    }
  }
  return over;
}

const isImage = ({ weighed }: SentFile): boolean => weighed.type === 'image';
const isLarge = ({ weighed }: SentFile, side: number): boolean =>
  weighed.type === 'image' && Math.max(weighed.width, weighed.height) > side;

type Weigh = (file: SentFile) => number;

function weighers({ images, pages, bytes }: FileLimits): readonly (readonly [Weigh, number])[] {
  return [
    ...(images === undefined ? [] : [[(file: SentFile) => Number(isImage(file)), images] as const]),
    ...(pages === undefined ? [] : [[pagesOf, pages] as const]),
    ...(bytes === undefined ? [] : [[bytesOf, bytes] as const]),
  ];
}

const pagesOf: Weigh = ({ weighed }) => (weighed.type === 'document' ? (weighed.pages ?? 1) : 0);
const bytesOf: Weigh = ({ weighed }) => base64Length(weighed.file.size);

function sum(files: readonly SentFile[], weigh: Weigh): number {
  return files.reduce((total, file) => total + weigh(file), 0);
}

/**
 * Texts behind each other as one, in paragraphs. What a protocol puts between blocks of one message is not what it puts
 * between messages that are joined: the same words would be sent differently as soon as another message follows.
 */
function paragraphs(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const result: ContentBlock[] = [];
  for (const block of blocks) {
    const before = result.at(-1);
    if (before !== undefined && isTextBlock(before) && isTextBlock(block) && before.text !== '' && block.text !== '')
      result[result.length - 1] = { type: 'text', text: `${before.text}\n\n${block.text}` };
    else result.push(block);
  }
  return result;
}

function rewritten(
  draft: ItemDraft,
  files: FilePolicy,
  over: ReadonlySet<AttachedBlock>,
  outcomes: Map<NodeId, NodeOutcome>,
): ItemDraft {
  const where = whereOf(draft);
  if (where === null || !hasFiles(draft)) return draft;
  const reasons = new Set<ContextReason>();
  const manner: string[] = [];
  const content: readonly ContentBlock[] = draft.item.message.content;
  const blocks = content.flatMap((block): readonly ContentBlock[] => {
    if (!isAttachedBlock(block)) return [block];
    const form = over.has(block)
      ? { ...named(block), reason: 'file_over_limit' as const }
      : formOf(block, where, files);
    manner.push(form.manner);
    if (form.reason !== null) reasons.add(form.reason);
    return form.blocks;
  });
  if (reasons.size === 0) return draft;
  // A message that held nothing but files must not vanish, and a call needs its result: then they are named after all.
  const shown = blocks.length > 0 ? blocks : content.filter(isAttachedBlock).flatMap(lineOf);
  const spoken = withContent(draft, paragraphs(shown));
  if (spoken === null) return draft;
  for (const reason of reasons) recordOutcome(outcomes, draft.node.id, reason, 'canonical');
  return { ...spoken, files: manner.join('') };
}

/** What stands before the files of a reply. */
const INTRODUCTION = '[The next reply holds what follows:]';

/** A reply in which its files are named, with the files before it if the model takes them there. */
function rewrittenReply(
  draft: ItemDraft,
  before: FileWhere | null,
  files: FilePolicy,
  over: ReadonlySet<AttachedBlock>,
  outcomes: Map<NodeId, NodeOutcome>,
): readonly ItemDraft[] {
  const content: readonly ContentBlock[] = draft.item.message.content;
  const shown = filesIn(draft).filter(({ inThought }) => inThought !== true);
  const lines = content.flatMap((block) => {
    if (!isAttachedBlock(block)) return [block];
    return block.inThought === true ? [] : lineOf(block);
  });
  const named = withContent(draft, lines.length > 0 ? lines : [{ type: 'text', text: '' }]) ?? draft;
  const isOver = shown.some((block) => over.has(block));
  // What a reply shows beside its original is not sent: the original is, unless it is too much for the request.
  if (draft.item.source === 'raw' && !isOver) return [{ ...named, within: shown }];
  const reply = withItem(named, { source: 'canonical', reasoning: 'omit' });
  if (shown.length === 0) return [reply];
  const carried = shown.filter((block) => before !== null && !over.has(block) && files.takes(block, before));
  const report = (reason: ContextReason): void => recordOutcome(outcomes, draft.node.id, reason, 'canonical');
  if (isOver) report('file_over_limit');
  if (carried.length > 0) report('file_before_reply');
  if (shown.some((block) => !carried.includes(block) && !over.has(block))) report('file_as_line');
  const manner = shown.map((block) => (carried.includes(block) ? 'b' : 'l')).join('');
  return [...(carried.length === 0 ? [] : [carrier(draft, carried)]), { ...reply, files: manner }];
}

function carrier(draft: ItemDraft, carried: readonly AttachedBlock[]): ItemDraft {
  return {
    node: draft.node,
    taken: draft.taken,
    files: `before:${carried.length}`,
    item: {
      nodeIds: [draft.node.id],
      source: 'canonical',
      message: messageOf('user', [{ type: 'text', text: INTRODUCTION }, ...carried], null),
      reasoning: 'omit',
      partial: false,
      answeredCalls: [],
      synthetic: true,
    },
  };
}

interface Form {
  readonly blocks: readonly ContentBlock[];
  /** One letter that names it in the prefix. */
  readonly manner: string;
  readonly reason: ContextReason | null;
}

function formOf(block: AttachedBlock, where: FileWhere, { takes, otherwise }: FilePolicy): Form {
  if (takes(block, where)) return { blocks: [block], manner: 'f', reason: null };
  if (otherwise === 'omit') return { blocks: [], manner: 'o', reason: 'file_left_out' };
  const text = textOfFile(block);
  return text === null ? named(block) : { blocks: [text], manner: 't', reason: 'file_as_text' };
}

function named(block: AttachedBlock): Form {
  return { blocks: lineOf(block), manner: 'l', reason: 'file_as_line' };
}

function lineOf(block: AttachedBlock): readonly ContentBlock[] {
  return [{ type: 'text', text: fileAsLine(block) }];
}
