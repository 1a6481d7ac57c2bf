import type { CallView, MessageGroupView, NodeView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Prose } from '../../parts/prose.tsx';
import { toolsQuery } from '../../session/queries.ts';
import { mayHaveWaited, toolTimesOf } from '../../view/tool-times.ts';
import { Reasoning } from './reasoning.tsx';
import { ToolRun } from './tool-run.tsx';
import { ToolTimes } from './tool-times.ts';

interface SegmentsProps {
  readonly segments: MessageGroupView['segments'];
  readonly nodes: readonly NodeView[];
  readonly calls: readonly CallView[];
  readonly projectId: string;
}

export function Segments({ segments, nodes, calls, projectId }: SegmentsProps) {
  const tools = useQuery(toolsQuery);
  const times = useMemo(
    () => toolTimesOf(nodes, mayHaveWaited(segments, tools.data?.tools ?? [])),
    [nodes, segments, tools.data],
  );
  const shown = segments.map((segment, index) => {
    const key = `${index} ${segment.kind}`;
    if (segment.kind === 'reasoning') {
      const ids = new Set(segment.items.map((item) => item.nodeId));
      const own = nodes.filter((node) => ids.has(node.id));
      const durationMs = durationOf(calls.filter((call) => call.nodeId !== null && ids.has(call.nodeId)));
      return (
        <Reasoning
          key={key}
          items={segment.items}
          nodes={own}
          durationMs={durationMs}
          projectId={projectId}
          live={false}
        />
      );
    }
    return segment.items.map((item, place) => {
      const itemKey = `${key} ${place}`;
      // A turn that is not in thinking mode shows no reasoning, even if the model sent some.
      if (item.type === 'think') return null;
      if (item.type === 'tool') return <ToolRun key={itemKey} item={item} />;
      return item.isError ? null : <Prose key={itemKey} text={item.text} />;
    });
  });
  return <ToolTimes value={times}>{shown}</ToolTimes>;
}

function durationOf(calls: readonly CallView[]): number | null {
  const times = calls.flatMap((call) =>
    call.endedAt === null ? [] : [Date.parse(call.endedAt) - Date.parse(call.startedAt)],
  );
  return times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0);
}
