import { lazy, memo, Suspense, useMemo } from 'react';
import { markdownBlocks } from '../view/markdown-blocks.ts';

/** The words as they came: until the renderer is there, and where it does not come, because the server has been replaced by a newer one. */
function Plain({ text }: { readonly text: string }) {
  return <p className="plain">{text}</p>;
}

async function load() {
  try {
    return { default: (await import('./markdown.tsx')).Markdown };
  } catch (error) {
    console.warn('The Markdown renderer could not be loaded; texts are shown as they came.', error);
    return { default: Plain };
  }
}
const Markdown = lazy(load);

/** Starts to load the renderer while the text itself is still on its way. */
export function preloadProse(): void {
  void load();
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
    <Suspense fallback={<Plain text={text} />}>
      <Markdown text={text} />
    </Suspense>
  );
});
