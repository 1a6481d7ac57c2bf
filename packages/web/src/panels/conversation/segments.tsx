import type { CallView, MessageGroupView, NodeView } from '@bough/api/client';
import type { CitedPlace, ContentBlock } from '@bough/core';
import { citedPlaces, isAttachedBlock, sourcesOf } from '@bough/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Files } from '../../parts/files/index.tsx';
import { useT } from '../../i18n/index.ts';
import { SourcesContext } from '../../parts/citations.tsx';
import { Prose } from '../../parts/prose.tsx';
import { client } from '../../session/client.ts';
import { toolsQuery } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import type { LiveTurn } from '../../view/live-turn.ts';
import { filesOf } from '../../view/message-content.ts';
import type { ShownItem } from '../../view/items.ts';
import { thoughtMsOf } from '../../view/thought-time.ts';
import { mayHaveWaited, toolTimesOf } from '../../view/tool-times.ts';
import { Approvals, NO_APPROVALS } from './approvals.ts';
import { ProviderTool, SourceList } from './provider-tool.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolFiles } from './tool-files.ts';
import { ToolRun } from './tool-run.tsx';
import { ToolTimes } from './tool-times.ts';

const NO_MARKS: readonly CitedPlace[] = [];

/** A picture or another file of the reply. Until the reply is stored, nothing but the upload knows it. */
function MadeFile({ file, project }: { readonly file: ContentBlock; readonly project: string | null }) {
  return isAttachedBlock(file) ? (
    <div className="made-file" data-small={file.inThought === true ? '' : undefined}>
      <Files files={[file]} project={project} />
    </div>
  ) : null;
}

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
  const t = useT();
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
  const brought = useMemo(
    (): ToolFiles => ({
      projectId,
      byCall: new Map(nodes.map(({ toolCallId, contentBlocks }) => [toolCallId, filesOf(contentBlocks)])),
      results: new Map(nodes.flatMap(({ id, toolCallId }) => (toolCallId === null ? [] : [[toolCallId, id] as const]))),
    }),
    [projectId, nodes],
  );
  const { sources, marks } = useMemo(() => {
    const texts = segments.flatMap(({ items }) => items.filter((item) => item.type === 'text'));
    const cited = sourcesOf(texts.flatMap(({ citations }) => citations ?? []));
    const places = texts.map((item) => [item, citedPlaces(item.citations ?? [], cited)] as const);
    return { sources: cited, marks: new Map<ShownItem, readonly CitedPlace[]>(places) };
  }, [segments]);
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
      if (item.type === 'provider') return <ProviderTool key={itemKey} use={item.use} live={live !== null} />;
      if (item.type === 'file') return <MadeFile key={itemKey} file={item.file} project={live ? null : projectId} />;
      return item.isError ? null : (
        <Prose key={itemKey} text={item.text} streaming={isGrowing} marks={marks.get(item) ?? NO_MARKS} />
      );
    });
  });
  return (
    <Approvals value={approvals}>
      <ToolTimes value={live?.toolTimes ?? storedTimes}>
        <ToolFiles value={brought}>
          <div className="reply-body" aria-busy={live === null ? undefined : live.status === 'running'}>
            <SourcesContext value={sources}>{shown}</SourcesContext>
            {sources.length === 0 ? null : (
              <section className="sources" aria-label={t('sources.title')}>
                <p className="tool-label">{t('sources.title')}</p>
                <SourceList sources={sources} />
              </section>
            )}
          </div>
        </ToolFiles>
      </ToolTimes>
    </Approvals>
  );
}
