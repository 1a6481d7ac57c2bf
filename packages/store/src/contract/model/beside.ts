import type { Annotation, Branch, ContentBlock, NodeId, ProjectId } from '@bough/core';
import { branchId, questionText } from '@bough/core';
import type { Operation } from './operations.ts';

// What people do with messages, as random work does it. No dice: everything follows from a number.

/** What a message holds besides its text: where it was brought from, or a version of the canvas. */
export function blocksBeside(number: number, text: string, above: NodeId | null): readonly ContentBlock[] {
  switch (number % 7) {
    case 1:
      return [
        {
          type: 'merge',
          branchId: branchId(`branch of ${text}`),
          branchName: `q/"${text}"`,
          after: null,
          upTo: above ?? 'nobody',
          by: (['answer', 'summary', 'messages'] as const)[number % 3],
          nodeIds: above === null ? [] : [above],
        },
      ];
    case 3:
      return [{ type: 'canvas', text: `# ${text}\r\n\n漢字 ${number}\n`, by: 'person', inContext: number % 2 === 0 }];
    case 5:
      return [{ type: 'canvas', text: '', by: 'person', inContext: false, mergedFrom: above ?? 'nobody' }];
    default:
      return [];
  }
}

const timeOf = (number: number): string => new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString();

/** Keeps something beside a message, and removes something that is likely to have been kept there before. */
export function annotates(number: number, projectId: ProjectId, nodeId: NodeId): Operation {
  const kept = (given: Pick<Annotation, 'kind'> & Partial<Annotation>): Annotation => ({
    projectId,
    nodeId,
    name: '',
    text: '',
    changedAt: timeOf(number),
    ...given,
  });
  const name = `“${(number >> 3) % 2}” / \\`;
  const words = { quote: 'words', before: 'a', after: 'b', offset: number, question: 'Which “words”?' };
  const all = [
    kept({ kind: 'star' }),
    kept({ kind: 'bookmark', name }),
    kept({ kind: 'note', text: `Note ${number}.\nسلام` }),
    kept({ kind: 'verdict', name, text: 'shorter', verdict: 'better', blind: true }),
    kept({ kind: 'question', name, text: questionText({ ...words, messageId: nodeId }) }),
  ];
  const put = all.filter((_, index) => index === number % 5 || index === number % 3);
  const gone = all.filter((one, index) => index === (number + 1) % 5 && !put.includes(one));
  return { type: 'annotate', projectId, change: { put, remove: gone } };
}

/** What is chosen about messages on a branch, and which summaries stand for them. */
export function chooses(number: number, branch: Branch, nodeId: NodeId): Operation {
  const choices = { [nodeId]: number % 2 === 0 ? ('leave_out' as const) : ('pin' as const) };
  const envelope = {
    ...branch.envelope,
    ...(number % 3 > 0 && { choices }),
    ...(number % 3 < 2 && { summaries: [nodeId] }),
  };
  return { type: 'updateBranch', projectId: branch.projectId, branchId: branch.id, patch: { envelope } };
}
