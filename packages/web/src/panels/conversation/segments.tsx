import type { CallView, MessageGroupView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Prose } from '../../parts/prose.tsx';
import { client } from '../../session/client.ts';
import { toolsQuery } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { thoughtMsOf } from '../../view/thought-time.ts';
import { mayHaveWaited, toolTimesOf } from '../../view/tool-times.ts';
import { Approvals, NO_APPROVALS } from './approvals.ts';
import { Reasoning } from './reasoning.tsx';
import { ToolRun } from './tool-run.tsx';
import { ToolTimes } from './tool-times.ts';

interface SegmentsProps {
  /** The turn; null for messages that were imported without one. */
  readonly turnId: string | null;
  readonly segments: MessageGroupView['segments'];
  readonly nodes: readonly NodeView[];
  readonly calls: readonly CallView[];
  readonly projectId: string;
  /** The reply while it arrives: then it is shown instead of what is stored so far. */
  readonly live: LiveTurn | null;
}

/**
 * What a reply consists of, arriving or stored. It is one component for both: when a turn ends, every element stays
 * where it is, with what the reader opened, and a long reply is not rendered a second time.
 */
export function Segments({ turnId, segments: stored, nodes, calls, projectId, live }: SegmentsProps) {
  const tools = useQuery(toolsQuery);
  const storedTimes = useMemo(
    () => toolTimesOf(nodes, mayHaveWaited(stored, tools.data?.tools ?? [])),
    [nodes, stored, tools.data],
  );
  const [asker, asked] = [live?.turnId ?? null, live?.approvals ?? null];
  const approvals = useMemo(
    (): Approvals =>
      asker === null || asked === null
        ? NO_APPROVALS
        : {
            waiting: new Set(asked.map(({ toolCallId }) => toolCallId)),
            answer: (toolCallId, answer) =>
              attempt(async () => void (await client.approve(projectId, { turnId: asker, toolCallId, ...answer }))),
          },
    [projectId, asker, asked],
  );
  const segments = live?.segmentation.segments ?? stored;
  const shown = segments.map((segment, index) => {
    const key = `${index} ${segment.kind}`;
    const isGrowing = live !== null && index === segments.length - 1;
    if (segment.kind === 'reasoning') {
      const ids = new Set(segment.items.map((item) => item.nodeId));
      const own = live === null ? nodes.filter((node) => ids.has(node.id)) : [];
      return (
        <Reasoning
          key={key}
          place={`${turnId ?? own[0]?.id ?? ''} ${index}`}
          items={segment.items}
          nodes={own}
          thoughtMs={live === null ? thoughtMsOf(calls, ids) : (live.thoughtTimes.get(index)?.ms ?? null)}
          thoughtAt={live?.thoughtTimes.get(index)?.lastAt ?? null}
          projectId={projectId}
          live={isGrowing && live.status === 'running'}
        />
      );
    }
    return segment.items.map((item, place) => {
      const itemKey = `${key} ${place}`;
      // A turn that is not in thinking mode shows no reasoning, even if the model sent some.
      if (item.type === 'think') return null;
      if (item.type === 'tool') return <ToolRun key={itemKey} item={item} />;
      return item.isError ? null : <Prose key={itemKey} text={item.text} streaming={isGrowing} />;
    });
  });
  return (
    <Approvals value={approvals}>
      <ToolTimes value={live?.toolTimes ?? storedTimes}>
        <div className="reply-body" aria-busy={live === null ? undefined : live.status === 'running'}>
          {shown}
        </div>
      </ToolTimes>
    </Approvals>
  );
}
