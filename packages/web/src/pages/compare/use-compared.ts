import { useQuery } from '@tanstack/react-query';
import { graphQuery, outlineQuery } from '../../session/queries.ts';
import { leavesOut } from '../../view/graph-path.ts';

/** The tree with the ways to the ends of two branches. */
export function useCompared(projectId: string, left: string, right: string) {
  const whole = useQuery(graphQuery(projectId));
  const tips = (whole.data?.branches ?? []).flatMap(({ name, tipId }) =>
    (name === left || name === right) && tipId !== null ? [tipId] : [],
  );
  const isMissing = whole.data !== undefined && leavesOut(whole.data, tips);
  const outline = useQuery({ ...outlineQuery(projectId, left, tips), enabled: isMissing });
  return isMissing ? outline : whole;
}
