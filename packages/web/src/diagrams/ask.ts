import type { DiagramAnswer, DiagramRequest } from './messages.ts';
import { pictureOf } from './picture-of.ts';

export type Drawn =
  | { readonly kind: 'drawn'; readonly url: string; readonly width: number; readonly height: number }
  | { readonly kind: 'failed' }
  | { readonly kind: 'tooLarge' };

/** Laying out a larger one would keep the page from answering for seconds. */
const MAX_CHARACTERS = 10_000;
const PATIENCE_MS = 20_000;
const KEPT = 50;
const known = new Map<string, Drawn>();

let frame: Promise<Window> | null = null;
let last = 0;
const waiting = new Map<number, (svg: string | null) => void>();

/**
 * A diagram as a picture. The program that draws is large and runs texts of models, so it is loaded into a frame of its
 * own when the first one is needed; that frame may fetch nothing (`packages/server/src/security/headers.ts`), and its
 * styles stay in it.
 */
export async function askForDiagram(source: string, isDark: boolean): Promise<Drawn> {
  if (source.length > MAX_CHARACTERS) return { kind: 'tooLarge' };
  const key = `${isDark ? 'dark' : 'light'} ${source}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const svg = await draw(source, isDark);
  const drawn: Drawn = (svg === null ? null : pictureOf(svg)) ?? { kind: 'failed' };
  known.set(key, drawn);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return drawn;
}

async function draw(source: string, isDark: boolean): Promise<string | null> {
  try {
    const there = await (frame ??= openFrame());
    const id = (last += 1);
    return await new Promise<string | null>((resolve) => {
      const answer = (svg: string | null): void => {
        window.clearTimeout(timer);
        waiting.delete(id);
        resolve(svg);
      };
      const timer = window.setTimeout(() => answer(null), PATIENCE_MS);
      waiting.set(id, answer);
      there.postMessage({ id, source, isDark } satisfies DiagramRequest, window.location.origin);
    });
  } catch (error) {
    // The server may be away: the next diagram tries again.
    console.warn('Diagrams cannot be drawn.', error);
    frame = null;
    return null;
  }
}

function openFrame(): Promise<Window> {
  return new Promise((resolve, reject) => {
    const element = document.createElement('iframe');
    element.className = 'diagram-frame';
    element.title = 'Diagrams';
    element.tabIndex = -1;
    element.setAttribute('aria-hidden', 'true');
    const timer = window.setTimeout(() => {
      element.remove();
      reject(new Error('The frame for diagrams did not load.'));
    }, PATIENCE_MS);
    window.addEventListener('message', ({ source, origin, data }: MessageEvent<DiagramAnswer>) => {
      const there = element.contentWindow;
      if (origin !== window.location.origin || there === null || source !== there) return;
      if (data.kind === 'answer') waiting.get(data.id)?.(data.svg);
      else {
        window.clearTimeout(timer);
        resolve(there);
      }
    });
    element.src = '/diagram.html';
    document.body.append(element);
  });
}
