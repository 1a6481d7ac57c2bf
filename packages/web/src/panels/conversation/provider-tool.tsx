import type { ProviderToolUse, Source } from '@bough/core';
import type { ComponentType } from 'react';
import { useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { hostOf, OutsideLink, sourceLabel } from '../../parts/citations.tsx';
import { Folded } from '../../parts/folded.tsx';
import { CodeIcon, DrawnIcon, FolderIcon, GlobeIcon, ToolIcon } from '../../parts/icons.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { useLine } from '../../view/provider-tool.ts';

const ICONS: Readonly<Record<ProviderToolUse['kind'], ComponentType>> = {
  web_search: GlobeIcon,
  web_fetch: GlobeIcon,
  code_execution: CodeIcon,
  file_search: FolderIcon,
  image_generation: DrawnIcon,
  remote_mcp: ToolIcon,
  other: ToolIcon,
};

interface ProviderToolProps {
  readonly use: ProviderToolUse;
  /** The reply is still arriving: what has no result yet may get one. */
  readonly live: boolean;
}

/** What the provider did itself: one line, and everything else on request. Pictures are the answer, and are shown. */
export function ProviderTool({ use, live }: ProviderToolProps) {
  const t = useT();
  const [open, setOpen] = useState(false);
  const Icon = ICONS[use.kind];
  const { state } = use;
  const badge =
    state === 'failed' ? t('tool.failed') : state === 'done' ? '' : t(live ? 'tool.running' : 'provider.none');
  return (
    <>
      <details
        className="tool provider-tool"
        open={open}
        onToggle={(event) => setOpen(event.currentTarget.open)}
        data-failed={state === 'failed' ? '' : undefined}
      >
        <summary>
          <Icon />
          <span className="provider-line">{useLine(use, t, live)}</span>
          {badge === '' ? null : <span className={state === 'failed' ? 'badge danger' : 'badge'}>{badge}</span>}
        </summary>
        {open ? <Details use={use} /> : null}
      </details>
      {use.pictures.map(({ mediaType, data }, index) => (
        <img
          key={index}
          className="drawn-picture"
          src={`data:${mediaType};base64,${data}`}
          alt={use.queries[0] ?? t('provider.picture')}
        />
      ))}
    </>
  );
}

function Details({ use }: { readonly use: ProviderToolUse }) {
  const t = useT();
  const { kind, queries, urls, sources, code, output, files, error } = use;
  const named = new Set(sources.map(({ url }) => url));
  const pages: readonly Source[] = [
    ...sources,
    ...urls.filter((url) => !named.has(url)).map((url) => ({ url, title: null })),
  ];
  const says = [queries, pages, files].some(({ length }) => length > 0) || code !== null || output !== null;
  return (
    <div className="tool-body">
      {error === null ? null : <p className="notice danger">{t('provider.error', { error })}</p>}
      {queries.length === 0 ? null : (
        <>
          <p className="tool-label">{t(kind === 'image_generation' ? 'provider.prompt' : 'provider.asked')}</p>
          <ul className="provider-tool-list">
            {queries.map((query, index) => (
              <li key={index} dir="auto">
                {query}
              </li>
            ))}
          </ul>
        </>
      )}
      {pages.length === 0 ? null : (
        <>
          <p className="tool-label">{t(kind === 'web_fetch' ? 'provider.read' : 'sources.title')}</p>
          <SourceList sources={pages} />
        </>
      )}
      {code === null ? null : (
        <>
          <p className="tool-label">{t(kind === 'code_execution' ? 'provider.code' : 'tool.arguments')}</p>
          <Folded>
            <LongText tag="pre" text={code} />
          </Folded>
        </>
      )}
      {output === null ? null : (
        <>
          <p className="tool-label">{t(kind === 'code_execution' ? 'provider.output' : 'tool.result')}</p>
          <Folded>
            <LongText tag="pre" text={output} />
          </Folded>
        </>
      )}
      {files.length === 0 ? null : (
        <>
          <p className="tool-label">{t('provider.fileNames')}</p>
          <ul className="provider-tool-list">
            {files.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {says || error !== null ? null : <p className="faint">{t('provider.nothing')}</p>}
    </div>
  );
}

/** Numbered, so that the numbers in a text mean something. */
export function SourceList({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <ol className="source-list">
      {sources.map((source, index) => (
        <li key={index}>
          {source.url === null ? (
            <span dir="auto">{sourceLabel(source)}</span>
          ) : (
            <>
              <OutsideLink url={source.url}>{sourceLabel(source)}</OutsideLink>
              {source.title === null ? null : <span className="source-host">{hostOf(source.url)}</span>}
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
