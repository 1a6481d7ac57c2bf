import { useT } from '../../i18n/later/index.ts';
import { FitIcon, FoldIcon, MinusIcon, PlusIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';

interface ToolbarProps {
  readonly title: string;
  readonly onFit: () => void;
  readonly onZoom: (factor: number) => void;
  readonly canFold: boolean;
  readonly onFold: () => void;
}

const STEP = 1.3;

export function Toolbar({ title, onFit, onZoom, canFold, onFold }: ToolbarProps) {
  const t = useT();
  return (
    <div className="graph-toolbar" role="toolbar" aria-label={t('panel.graph')}>
      <span>{title}</span>
      {canFold ? (
        <IconButton label={t('graph.fold')} onClick={onFold}>
          <FoldIcon />
        </IconButton>
      ) : null}
      <IconButton label={t('graph.zoomOut')} onClick={() => onZoom(1 / STEP)}>
        <MinusIcon />
      </IconButton>
      <IconButton label={t('graph.zoomIn')} onClick={() => onZoom(STEP)}>
        <PlusIcon />
      </IconButton>
      <IconButton label={t('graph.fit')} onClick={onFit}>
        <FitIcon />
      </IconButton>
    </div>
  );
}
