import 'katex/dist/katex.min.css';
import type { ComponentProps, ElementType, ReactNode } from 'react';
import { Fragment, isValidElement, useContext, useRef, useState } from 'react';
import { jsxs } from 'react/jsx-runtime';
import { useT } from '../i18n/index.ts';
import type { Tree } from '../markdown/tree.ts';
import { useCopy } from '../session/use-copy.ts';
import { MARK } from '../markdown/marks.ts';
import { CiteMark } from './citations.tsx';
import { Diagram } from './diagram.tsx';
import { GrowingContext } from './growing.ts';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { Picture } from './picture.tsx';
import './code.css';

/**
 * Formatted Markdown as elements. Links open in another tab and may only be web addresses; images are loaded when the
 * reader asks for them, because fetching one tells its server that the message was read.
 */
export function Markdown({ tree }: { readonly tree: Tree }): ReactNode {
  if (typeof tree === 'string') return tree;
  const type = tree.tag === '' ? Fragment : (COMPONENTS[tree.tag] ?? tree.tag);
  const children = tree.children.map((child) => Markdown({ tree: child }));
  const props = OWN_DIRECTION.has(tree.tag) ? { ...tree.props, dir: 'auto' } : tree.props;
  // A rule, a break or an image must have no children, not even an empty list.
  return jsxs(type as ElementType, children.length === 0 ? props : { ...props, children });
}

/** Each of them is written in one direction, whatever the one before it is in. */
const OWN_DIRECTION = new Set(['p', 'li', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'th', 'td']);

const COMPONENTS: Readonly<Record<string, ElementType>> = {
  a: OutsideLink,
  [MARK]: CiteMark,
  img: Picture,
  input: TaskMark,
  pre: CodeBlock,
  table: ScrollingTable,
};
function OutsideLink({ href, children }: ComponentProps<'a'>) {
  if (href === undefined || !/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function ScrollingTable({ children }: ComponentProps<'table'>) {
  const t = useT();
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={t('table.label')}>
      <table>{children}</table>
    </div>
  );
}

/** The only input in Markdown: the checkbox of a task. */
function TaskMark({ checked = false }: ComponentProps<'input'>) {
  const t = useT();
  return <input type="checkbox" checked={checked} disabled aria-label={checked ? t('task.done') : t('task.open')} />;
}

/** The language that the fence names; the highlighter leaves it in the class of the code. */
function languageOf(children: ReactNode): string {
  const code = [children].flat().find((child) => isValidElement<{ readonly className?: unknown }>(child));
  const names = isValidElement<{ readonly className?: unknown }>(code) ? code.props.className : '';
  return /language-([^\s,]+)/.exec(typeof names === 'string' ? names : '')?.[1] ?? '';
}

function CodeBlock({ children }: ComponentProps<'pre'>) {
  const isGrowing = useContext(GrowingContext);
  if (languageOf(children) !== 'mermaid' || isGrowing) return <Code>{children}</Code>;
  return <Diagram source={textOf(children)} code={<Code>{children}</Code>} />;
}

function textOf(children: ReactNode): string {
  if (typeof children === 'string' || typeof children === 'number') return String(children);
  if (Array.isArray(children)) return children.map((child: ReactNode) => textOf(child)).join('');
  return isValidElement<{ readonly children?: ReactNode }>(children) ? textOf(children.props.children) : '';
}

function Code({ children }: { readonly children: ReactNode }) {
  const t = useT();
  const pre = useRef<HTMLPreElement>(null);
  const [copied, copy] = useCopy();
  const [wraps, setWraps] = useState(false);
  const language = languageOf(children);
  return (
    <div className="code-block" data-wraps={wraps ? '' : undefined}>
      <div className="code-head">
        <span className="code-language">{language}</span>
        <button type="button" className="code-wrap" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
          {t('code.wrap')}
        </button>
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label={t('code.copy')}
        onClick={() => void copy(pre.current?.textContent ?? '')}
      >
        {copied ? <CheckIcon /> : <CopyIcon />}
      </button>
      <pre ref={pre} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}
