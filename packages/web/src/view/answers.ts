import type { BranchView, NodeView } from '@bough/api/client';

type AnswerBranch = Pick<BranchView, 'id' | 'name' | 'tipId' | 'forkedFromId' | 'forkedOn' | 'runningTurnId'>;

/** One answer to a message: what is stored of it, and the branch that ends with it. */
export interface Answer<Branch extends AnswerBranch = BranchView> {
  readonly key: string;
  /** The first message of the reply; null while nothing is stored of it. */
  readonly node: NodeView | null;
  /** Null for a reply that no branch ends with: somebody went on behind it. */
  readonly branch: Branch | null;
  /** Whether it can be taken away with its branch. */
  readonly canGo: boolean;
}

interface Asked {
  readonly id: string;
  readonly parentId: string | null;
}

/**
 * The answers to a message, sorted by their branches. A branch answers it if it begins with the message or right behind
 * it and goes no further than the answer. The branch that the reader came from always stays.
 */
export function answersOf<Branch extends AnswerBranch>(
  asked: Asked,
  replies: readonly (readonly NodeView[])[],
  branches: readonly Branch[],
  here: string,
): readonly Answer<Branch>[] {
  const begin = branches.filter(({ forkedFromId }) => forkedFromId === asked.id);
  // The first answer brought the message with it. At the beginning of a project any branch looks like that, also the
  // one that everything is on: there the others tell where the message was made.
  const brought = ({ id, forkedFromId }: Branch): boolean =>
    forkedFromId === asked.parentId && (forkedFromId !== null || begin.some(({ forkedOn }) => forkedOn === id));
  const isAnswer = (branch: Branch): boolean => begin.includes(branch) || brought(branch);
  const canGo = (branch: Branch): boolean => branch.name !== here && isAnswer(branch);
  const stored = replies.flatMap((parts): Answer<Branch>[] => {
    const [node] = parts;
    if (node === undefined) return [];
    const at = branches.filter(({ tipId }) => parts.some(({ id }) => id === tipId));
    const branch = at.find(canGo) ?? at[0] ?? null;
    return [{ key: branch?.id ?? node.id, node, branch, canGo: branch !== null && canGo(branch) }];
  });
  // Nothing is stored of it yet, or nothing ever was: it was stopped before its first word.
  const unanswered = branches
    .filter((branch) => branch.tipId === asked.id && (canGo(branch) || branch.runningTurnId !== null))
    .map((branch): Answer<Branch> => ({ key: branch.id, node: null, branch, canGo: canGo(branch) }));
  const nameOf = ({ branch }: Answer<Branch>): string => branch?.name ?? '';
  return [...stored, ...unanswered].toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true }));
}
