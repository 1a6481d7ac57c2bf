import type { ComponentType } from 'react';
import { memo, useMemo } from 'react';
import { useT } from '../i18n/index.ts';
import { createFormatter } from '../markdown/formatter.ts';
import { createThread } from '../markdown/thread.ts';
import type { Mark } from '../markdown/marks.ts';
import { marksWithin, withMarks } from '../markdown/marks.ts';
import type { Tree } from '../markdown/tree.ts';
import { useFormatted } from '../markdown/use-formatted.ts';
import { Boundary } from './boundary.tsx';
import { GrowingContext } from './growing.ts';
import { LongText } from './long-text.tsx';

const thread = createThread(() => new Worker(new URL('../markdown/worker.ts', import.meta.url), { type: 'module' }));
let Markdown: ComponentType<{ readonly tree: Tree }> | null = null;
const prepare = async (): Promise<void> => {
  Markdown ??= (await import('./markdown.tsx')).Markdown;
};
const formatter = createFormatter(thread, prepare, () => performance.now());

/**
 * Starts to load the formatter while the text itself is still on its way. If that fails, the component that needs it
 * says so.
 */
export function preloadProse(): void {
  void Promise.allSettled([prepare(), thread.start()]);
}

interface ProseProps {
  readonly text: string;
  /** Smaller and softer: for reasoning. */
  readonly quiet?: boolean;
  readonly streaming?: boolean;
  /** Numbers of sources behind what is cited. */
  readonly marks?: readonly Mark[];
}

const NO_MARKS: readonly Mark[] = [];

/**
 * Markdown, split into blocks, each rendered once: while a reply streams, only its last block changes. Formatting
 * happens on another thread within limits: some texts keep a parser busy for minutes. What cannot be formatted is shown
 * as it was written.
 */
export function Prose({ text, quiet = false, streaming = false, marks = NO_MARKS }: ProseProps) {
  const { parts } = useFormatted(formatter, text, streaming);
  let start = 0;
  const starts = parts.map((part) => {
    start += part.text.length;
    return start - part.text.length;
  });
  return (
    <div className={quiet ? 'prose quiet' : 'prose'} data-streaming={streaming ? '' : undefined}>
      <Boundary fallback={<AsWritten text={text} why="failed" />}>
        {parts.map((part, index) =>
          part.kind === 'tree' ? (
            <Block
              key={index}
              tree={part.formatted.tree}
              text={part.text}
              start={starts[index] ?? 0}
              marks={marks}
              growing={streaming && index === parts.length - 1}
            />
          ) : part.gaveUp ? (
            <AsWritten key={index} text={part.text} why="tooMuch" />
          ) : (
            <Waiting key={index} text={part.text} />
          ),
        )}
      </Boundary>
    </div>
  );
}

interface BlockProps {
  readonly tree: Tree;
  /** As it was written, and where in the whole text it begins. */
  readonly text: string;
  readonly start: number;
  readonly marks: readonly Mark[];
  readonly growing: boolean;
}

const Block = memo(function Block({ tree, text, start, marks, growing }: BlockProps) {
  const shown = useMemo(() => withMarks(tree, marksWithin(marks, start, text)), [tree, text, start, marks]);
  return Markdown === null ? null : (
    <GrowingContext value={growing}>
      <Markdown tree={shown} />
    </GrowingContext>
  );
});

/**
 * The words as they were written: until they are formatted, and for good if formatting is unavailable because the
 * server was replaced by a newer one.
 */
function Waiting({ text }: { readonly text: string }) {
  return <LongText tag="p" className="plain" text={text} />;
}

/** The words as they were written, for good. */
export function AsWritten({ text, why }: { readonly text: string; readonly why: 'tooMuch' | 'failed' }) {
  const t = useT();
  return (
    <div className="as-written">
      <p className="as-written-note">{t(`prose.${why}`)}</p>
      <LongText tag="p" text={text.trimEnd()} />
    </div>
  );
}
