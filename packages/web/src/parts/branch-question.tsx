import type { BranchView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '../i18n/index.ts';
import { client } from '../session/client.ts';
import { messageCount } from '../view/deletion.ts';

interface BranchQuestionProps {
  readonly projectId: string;
  readonly branch: BranchView;
}

/**
 * The question before a branch is deleted, with how many of its messages no other branch leads to. Until that is known,
 * and without an answer, it is only less precise.
 */
export function BranchQuestion({ projectId, branch: { id, name } }: BranchQuestionProps) {
  const t = useT();
  const { data } = useQuery({
    queryKey: ['branch-deletion', projectId, id],
    queryFn: () => client.branchDeletion(projectId, id),
    retry: false,
    gcTime: 0,
  });
  const alone = data?.onNoOtherBranch ?? 0;
  const question = t('branches.delete.sure', { name });
  return alone === 0 ? question : `${question} ${t('branches.delete.alone', { messages: messageCount(alone, t) })}`;
}
