import type { CanvasVersionView, CanvasView, MergedCanvasView } from '@bough/api';
import { routes } from '@bough/api';
import { projectId } from '@bough/core';
import type { CurrentCanvas, ListedVersion, MergedCanvas } from '@bough/engine';
import type { App, Parts } from './parts.ts';

export function canvasHandlers(app: App, { engine }: Pick<Parts, 'engine'>): void {
  app.openapi(routes.getCanvas, async (context) => {
    const { ref, version } = context.req.valid('query');
    const found = await engine.readCanvas(projectId(context.req.valid('param').id), ref, version);
    return context.json({ canvas: found === null ? null : view(found) }, 200);
  });
  app.openapi(routes.canvasHistory, async (context) => {
    const { ref } = context.req.valid('query');
    const versions = await engine.canvasHistory(projectId(context.req.valid('param').id), ref);
    return context.json({ versions: versions.map(listed) }, 200);
  });
  app.openapi(routes.writeCanvas, async (context) => {
    const written = await engine.writeCanvas(projectId(context.req.valid('param').id), context.req.valid('json'));
    return context.json({ canvas: view(written) }, 200);
  });
  app.openapi(routes.mergeCanvas, async (context) => {
    const merged = await engine.mergeCanvas(projectId(context.req.valid('param').id), context.req.valid('json'));
    return context.json(mergedView(merged), 200);
  });
}

function view({ nodeId: version, text, by, inContext, createdAt, mergedFrom }: CurrentCanvas): CanvasView {
  return { version, text, by, inContext, createdAt, ...(mergedFrom === undefined ? {} : { mergedFrom }) };
}

function listed({ nodeId: version, ...one }: ListedVersion): CanvasVersionView {
  return { version, ...one };
}

function mergedView({ parts, saved, ...merged }: MergedCanvas): MergedCanvasView {
  const shown = parts.map((part) =>
    part.kind === 'merged'
      ? { kind: part.kind, lines: [...part.lines] }
      : { kind: part.kind, base: [...part.base], ours: [...part.ours], theirs: [...part.theirs] },
  );
  return { ...merged, parts: shown, saved: saved === null ? null : view(saved) };
}
