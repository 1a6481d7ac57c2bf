import type { PointerEvent, RefObject } from 'react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Size, Viewport } from '../../view/viewport.ts';
import { bounded, fitView, OVERVIEW, zoomAt } from '../../view/viewport.ts';

const DRAG = 4;

/** Pan by dragging or scrolling, zoom by Ctrl and scrolling. Fits the drawing once the frame has a size. */
export function useViewport(frame: RefObject<SVGSVGElement | null>, content: Size) {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [view, setView] = useState<Viewport | null>(null);
  const dragged = useRef(false);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  const fit = useCallback(() => setView(fitView(content, size, OVERVIEW)), [content, size]);
  useEffect(() => {
    if (view === null && size.height > 0) setView(fitView(content, size));
  }, [view, content, size]);
  // Our own listener: React's is passive, and the page would scroll or zoom instead.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const at = { x: event.clientX - box.left, y: event.clientY - box.top };
      setView((before) => {
        if (before === null) return before;
        const isZoom = event.ctrlKey || event.metaKey;
        const after = isZoom
          ? zoomAt(before, Math.exp(-event.deltaY / 300), at)
          : { ...before, x: before.x - event.deltaX, y: before.y - event.deltaY };
        return bounded(after, content, size);
      });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [frame, content, size]);

  /** Zooms around the visible part of the tree: around the middle of the frame, a short tree would move out of it. */
  const zoom = (factor: number): void =>
    setView((before) => {
      if (before === null) return before;
      const [top, bottom] = [Math.max(0, before.y), Math.min(size.height, before.y + content.height * before.k)];
      return zoomAt(before, factor, { x: before.x, y: (top + bottom) / 2 });
    });
  const startDrag = (event: PointerEvent<SVGSVGElement>): void => {
    const from = { x: event.clientX, y: event.clientY };
    const start = view;
    dragged.current = false;
    if (start === null || event.button !== 0) return;
    const move = (moved: globalThis.PointerEvent): void => {
      const [x, y] = [moved.clientX - from.x, moved.clientY - from.y];
      if (Math.hypot(x, y) > DRAG) dragged.current = true;
      if (dragged.current) setView(bounded({ ...start, x: start.x + x, y: start.y + y }, content, size));
    };
    const end = (): void => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
  };
  /** Whether the next click only ends a drag and is to be ignored. */
  const wasDragged = (): boolean => dragged.current;
  return { view: view ?? { x: 0, y: 0, k: 1 }, setView, size, fit, zoom, startDrag, wasDragged };
}
