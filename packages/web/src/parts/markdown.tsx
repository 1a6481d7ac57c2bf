import 'katex/dist/katex.min.css';
import type { ComponentProps } from 'react';
import { useRef } from 'react';
import ReactMarkdown from 'react-markdown';
import rehypeHighlight from 'rehype-highlight';
import rehypeKatex from 'rehype-katex';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { useT } from '../i18n/index.ts';
import { useCopy } from '../session/use-copy.ts';
import { CopyIcon } from './icons.tsx';
import './code.css';

/**
 * Models write what they like: HTML is shown as text, never rendered; links open elsewhere and may only be web addresses; pictures are not loaded, because fetching one
 * tells its server that the message was read.
 */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, [remarkMath, { singleDollarTextMath: false }]]}
      rehypePlugins={[
        [rehypeHighlight, { detect: false, ignoreMissing: true }],
        [rehypeKatex, { throwOnError: false, strict: 'ignore', trust: false }],
      ]}
      components={{ a: OutsideLink, img: PictureName, input: TaskMark, pre: CodeBlock, table: ScrollingTable }}
    >
      {text}
    </ReactMarkdown>
  );
}

function OutsideLink({ href, children }: ComponentProps<'a'>) {
  if (href === undefined || !/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function PictureName({ alt, src }: ComponentProps<'img'>) {
  return <span className="badge">{alt === undefined || alt === '' ? String(src) : alt}</span>;
}

function ScrollingTable({ children }: ComponentProps<'table'>) {
  const t = useT();
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={t('table.label')}>
      <table>{children}</table>
    </div>
  );
}

/** The only input that Markdown has: the box of a task. */
function TaskMark({ checked = false }: ComponentProps<'input'>) {
  const t = useT();
  return <input type="checkbox" checked={checked} disabled aria-label={checked ? t('task.done') : t('task.open')} />;
}

function CodeBlock({ children }: ComponentProps<'pre'>) {
  const t = useT();
  const pre = useRef<HTMLPreElement>(null);
  const [copied, copy] = useCopy();
  return (
    <div className="code-block">
      <button
        type="button"
        className="icon-button"
        aria-label={t('code.copy')}
        onClick={() => void copy(pre.current?.textContent ?? '')}
      >
        {copied ? '✓' : <CopyIcon />}
      </button>
      <pre ref={pre} tabIndex={0}>
        {children}
      </pre>
    </div>
  );
}
