/** How the drawing is placed in its frame: moved by x and y, scaled by k. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const MIN_SCALE = 0.15;
const MAX_SCALE = 2;
const PADDING = 16;

/** Zooms around a point of the frame, which stays in place. */
export function zoomAt(view: Viewport, factor: number, at: { readonly x: number; readonly y: number }): Viewport {
  const k = Math.min(MAX_SCALE, Math.max(MIN_SCALE, view.k * factor));
  const ratio = k / view.k;
  return { k, x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio };
}

/** Labels of 12 pixels are not read below 10. */
const LEGIBLE = 0.85;
/** For somebody who asks for an overview, lines are enough. */
export const OVERVIEW = 0.5;

/**
 * Shows all of the drawing as long as it stays legible; if it does not fit, shows its end, where the conversation is.
 */
export function fitView(content: Size, frame: Size, smallest: number = LEGIBLE): Viewport {
  const wanted = Math.min(1, (frame.width - PADDING) / content.width, (frame.height - PADDING) / content.height);
  const k = Math.min(1, Math.max(smallest, wanted));
  const height = content.height * k;
  return { k, x: PADDING / 2, y: height + PADDING > frame.height ? frame.height - height - PADDING : PADDING };
}

const MARGIN = { x: 16, y: 56 };

/** Moves as little as needed to bring a point of the drawing well inside the frame. */
export function reveal(view: Viewport, frame: Size, point: { readonly x: number; readonly y: number }): Viewport {
  const shift = (offset: number, place: number, size: number, margin: number): number => {
    const at = place * view.k + offset;
    if (at < margin) return offset + margin - at;
    return at > size - margin ? offset - (at - size + margin) : offset;
  };
  return {
    ...view,
    x: shift(view.x, point.x, frame.width, MARGIN.x),
    y: shift(view.y, point.y, frame.height, MARGIN.y),
  };
}

/** So much of the tree stays in the frame, wherever it is moved. */
const KEPT = 48;

/** Moves the drawing back as far as needed to keep some of it in the frame: in an empty one nobody finds the way. */
export function bounded(view: Viewport, content: Size, frame: Size): Viewport {
  const keep = (offset: number, length: number, size: number): number => {
    const kept = Math.min(KEPT, length, size);
    return Math.min(size - kept, Math.max(kept - length, offset));
  };
  return {
    ...view,
    x: keep(view.x, content.width * view.k, frame.width),
    y: keep(view.y, content.height * view.k, frame.height),
  };
}
