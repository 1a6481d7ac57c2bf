import mermaid from 'mermaid';
import type { DiagramAnswer, DiagramRequest } from './messages.ts';

// The frame in which diagrams are drawn. It has nothing to do with the page but its messages.

const answer = (message: DiagramAnswer): void => window.parent.postMessage(message, window.location.origin);

/** What a text must not change, whatever it says about itself. */
const FIXED = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'htmlLabels',
  'flowchart',
  'class',
  'state',
  'theme',
  'themeCSS',
  'themeVariables',
  'fontFamily',
  'altFontFamily',
  'dompurifyConfig',
  'deterministicIds',
  'logLevel',
];

async function draw({ id, source, isDark }: DiagramRequest): Promise<string | null> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    secure: FIXED,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    maxTextSize: 10_000,
    maxEdges: 200,
    suppressErrorRendering: true,
    theme: isDark ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    logLevel: 'fatal',
  });
  try {
    return (await mermaid.render(`diagram-${id}`, source)).svg;
  } catch (error) {
    // Models write diagrams with mistakes every day: the reader gets the source.
    if (!(error instanceof Error) && typeof error !== 'object') throw error;
    return null;
  } finally {
    document.getElementById(`ddiagram-${id}`)?.remove();
  }
}

async function after(before: Promise<unknown>, next: () => Promise<void>): Promise<void> {
  await before;
  await next();
}

// One after the other: the program that draws keeps what it works on in one place.
let last: Promise<unknown> = Promise.resolve();
window.addEventListener('message', ({ source, origin, data }: MessageEvent<DiagramRequest>) => {
  if (source !== window.parent || origin !== window.location.origin) return;
  const next = async (): Promise<void> =>
    answer({ kind: 'answer', id: data.id, svg: await draw(data).catch(() => null) });
  last = after(last, next);
});
answer({ kind: 'ready' });
