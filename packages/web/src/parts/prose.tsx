import { lazy, memo, Suspense, useMemo } from 'react';
import { markdownBlocks } from '../view/markdown-blocks.ts';

const load = async () => ({ default: (await import('./markdown.tsx')).Markdown });
const Markdown = lazy(load);

/** Starts to load the renderer while the text itself is still on its way. */
export function preloadProse(): void {
  load().catch((error: unknown) => console.error('The Markdown renderer could not be loaded.', error));
}

interface ProseProps {
  readonly text: string;
  /** Smaller and softer: for reasoning. */
  readonly quiet?: boolean;
  readonly streaming?: boolean;
}

/**
 * Markdown, cut into its blocks, each rendered once: while a reply streams, only its last block changes. Rendering the whole on every line would cost more with every line.
 */
export function Prose({ text, quiet = false, streaming = false }: ProseProps) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <div className={quiet ? 'prose quiet' : 'prose'} data-streaming={streaming ? '' : undefined}>
      {blocks.map((block, index) => (
        <Block key={index} text={block} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="plain">{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  );
});
