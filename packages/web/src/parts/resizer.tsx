import type { PointerEvent } from 'react';

interface ResizerProps {
  readonly side: 'left' | 'right';
  readonly width: number;
  readonly onResize: (width: number) => void;
  readonly label: string;
}

const MIN = 200;
const MAX = 720;
const STEP = 24;

/** The border of a side panel: dragged, or moved with the arrow keys. */
export function Resizer({ side, width, onResize, label }: ResizerProps) {
  const clamp = (value: number): number => Math.round(Math.min(MAX, Math.max(MIN, value)));
  const start = (event: PointerEvent<HTMLDivElement>): void => {
    const from = event.clientX;
    const element = event.currentTarget;
    element.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent): void => {
      const delta = side === 'left' ? moved.clientX - from : from - moved.clientX;
      onResize(clamp(width + delta));
    };
    const end = (): void => {
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', end);
    };
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', end);
  };
  const grow = side === 'left' ? 'ArrowRight' : 'ArrowLeft';
  const shrink = side === 'left' ? 'ArrowLeft' : 'ArrowRight';
  return (
    <div
      className="resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      tabIndex={0}
      onPointerDown={start}
      onKeyDown={(event) => {
        if (event.key === grow) onResize(clamp(width + STEP));
        if (event.key === shrink) onResize(clamp(width - STEP));
      }}
    />
  );
}
