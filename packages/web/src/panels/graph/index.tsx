import type { BranchView } from '@bough/api/client';
import { useMemo, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Problem } from '../../parts/problem.tsx';
import { PanelSkeleton } from '../../parts/skeleton.tsx';
import { branchColour } from '../../view/colour.ts';
import { formatNumber } from '../../view/format.ts';
import { layoutGraph } from '../../view/graph-layout.ts';
import { mergeEnds, mergeLines } from '../../view/graph-merges.ts';
import { parentsOf, pathTo, tipsOf } from '../../view/graph-path.ts';
import { Canvas } from './canvas.tsx';
import { useExcerpts } from './excerpts.ts';
import { useGoToNode } from './go-to-node.tsx';
import { Preview } from './preview.tsx';
import { useReadingPlace } from './reading-place.ts';
import { useGraph } from './use-graph.ts';
import './graph.css';

const NOTHING: ReadonlySet<string> = new Set();

/** Of several branches that end at one message, the one that is being read is named first. */
const hereFirst = (branches: readonly BranchView[], here: string): readonly BranchView[] =>
  branches.toSorted((a, b) => Number(b.id === here) - Number(a.id === here));

/** The whole tree: lanes are branches, the current path stands out, long runs are folded. */
export function GraphPanel({ projectId, branch }: { readonly projectId: string; readonly branch: BranchView }) {
  const t = useT();
  const [expanded, setExpanded] = useState(NOTHING);
  const graph = useGraph(projectId, branch, expanded);
  const [pointed, setPointed] = useState<string | null>(null);
  const excerpts = useExcerpts(projectId, branch.id);
  const { data } = graph;
  const tips = useMemo(() => tipsOf(hereFirst(data?.branches ?? [], branch.id)), [data, branch.id]);
  const layout = useMemo(
    () =>
      layoutGraph(data?.nodes ?? [], { expanded, keep: new Set([...tips.keys(), ...mergeEnds(data?.nodes ?? [])]) }),
    [data, expanded, tips],
  );
  const merges = useMemo(() => mergeLines(data?.nodes ?? [], layout), [data, layout]);
  const path = useMemo(
    () => (data === undefined ? NOTHING : pathTo(branch.tipId, parentsOf(data.nodes))),
    [data, branch.tipId],
  );
  const colours = useMemo(
    () => new Map((data?.branches ?? []).map((each, index) => [each.id, branchColour(each.color, index)])),
    [data],
  );
  const reading = useReadingPlace();
  const { goTo, dialog } = useGoToNode(projectId, branch, data ?? null);

  if (data === undefined)
    return graph.error !== null ? (
      <Problem message={graph.error.message} />
    ) : (
      <PanelSkeleton shape="graph" failures={graph.failureCount} />
    );
  if (data.nodes.length === 0) return <p className="faint graph-empty">{t('graph.empty')}</p>;
  const item = pointed === null ? null : (layout.itemOf.get(pointed) ?? null);
  return (
    <div className="graph">
      <Canvas
        key={branch.id}
        title={t('graph.size', {
          messages: formatNumber(data.total, t.locale),
          branches: formatNumber(data.branches.length, t.locale),
        })}
        layout={layout}
        merges={merges}
        path={path}
        start={branch.tipId}
        reading={reading}
        tips={tips}
        colours={colours}
        excerpts={excerpts}
        canFold={expanded.size > 0}
        onFold={() => setExpanded(NOTHING)}
        onPoint={setPointed}
        onChoose={(chosen) => {
          if (chosen.count > 1 || chosen.after !== null)
            setExpanded((before) => new Set(before).add(chosen.after ?? chosen.id));
          else goTo(chosen.id);
        }}
      />
      <Preview projectId={projectId} item={item} isOnPath={item !== null && path.has(item.id)} />
      {dialog}
    </div>
  );
}
