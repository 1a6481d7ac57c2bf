import type { NodeView } from '@bough/api/client';
import { Link } from '@tanstack/react-router';
import { useT } from '../../i18n/index.ts';
import { FileIcon } from '../../parts/icons.tsx';

interface CanvasVersionProps {
  readonly projectId: string;
  readonly branch: string;
  readonly node: NodeView;
}

/** Nothing but a version of the canvas that a person wrote. */
export const isCanvasNode = ({ contentBlocks }: Pick<NodeView, 'contentBlocks'>): boolean =>
  contentBlocks.some(({ type }) => type === 'canvas');

/** Where a version of the canvas stands on the path. */
export function CanvasVersion({ projectId, branch, node }: CanvasVersionProps) {
  const t = useT();
  const isTold = node.contentBlocks.some(({ type }) => type === 'text');
  return (
    <p className="canvas-mark" data-node={node.id}>
      <Link className="button small quiet" to="/p/$projectId/b/$branch/canvas" params={{ projectId, branch }}>
        <FileIcon />
        {t(isTold ? 'canvas.mark.told' : 'canvas.mark')}
      </Link>
    </p>
  );
}
