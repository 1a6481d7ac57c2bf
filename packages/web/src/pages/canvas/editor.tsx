import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { Annotation, EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { parser } from '@lezer/markdown';
import { useEffect, useRef } from 'react';

const MARKDOWN = new Language(defineLanguageFacet(), parser, [], 'markdown');

const LOOKS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.processingInstruction, tags.quote, tags.monospace], color: 'var(--ink-soft)' },
]);

/** Told apart from what a person types: a version that was stored elsewhere is no draft. */
const outside = Annotation.define<true>();

const FRAME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { maxWidth: '48rem', margin: '0 auto', padding: '1.25rem 1rem', caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
});

interface EditorProps {
  /**
   * What is put in from outside: another one, or another round, takes the place of what is there. What is typed is told
   * and never given back: an answer that comes late would undo the newest keystrokes.
   */
  readonly given: string;
  readonly round: number;
  readonly label: string;
  readonly onChange: (text: string) => void;
}

export function Editor({ given: text, round, label, onChange }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    if (place.current === null) return undefined;
    const made = new EditorView({
      parent: place.current,
      extensions: [
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        MARKDOWN,
        syntaxHighlighting(LOOKS),
        FRAME,
        EditorView.lineWrapping,
        EditorState.lineSeparator.of('\n'),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          const isGiven = transactions.some((one) => one.annotation(outside) === true);
          if (docChanged && !isGiven) changed.current(state.doc.toString());
        }),
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, [label]);
  useEffect(() => {
    const there = view.current;
    if (there === null || there.state.doc.toString() === text) return;
    there.dispatch({ changes: { from: 0, to: there.state.doc.length, insert: text }, annotations: outside.of(true) });
  }, [text, round, label]);
  return <div ref={place} className="canvas-editor" />;
}
