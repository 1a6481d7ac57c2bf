import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { Files } from '../../parts/files/index.tsx';
import { Folded } from '../../parts/folded.tsx';
import { ToolIcon } from '../../parts/icons.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { toolsQuery } from '../../session/queries.ts';
import { formatDuration } from '../../view/format.ts';
import type { ShownItem } from '../../view/items.ts';
import { jsonText } from '../../view/json-text.ts';
import { briefly } from '../../view/tool-brief.ts';
import { toolNameOf } from '../../view/tool-name.ts';
import { Approvals } from './approvals.ts';
import { ResultChoice } from './result-choice.tsx';
import { ToolApproval } from './tool-approval.tsx';
import { ToolFiles } from './tool-files.ts';
import { ToolTimes } from './tool-times.ts';

type ToolItem = Extract<ShownItem, { type: 'tool' }>;

/** A tool call: its name at a glance, everything else on request. */
export function ToolRun({ item }: { readonly item: Pick<ToolItem, 'id' | 'name' | 'parameters' | 'result'> }) {
  const t = useT();
  const { id, name, parameters, result } = item;
  const duration = useContext(ToolTimes).get(id);
  const { projectId, byCall, results } = useContext(ToolFiles);
  const resultId = results.get(id);
  const waits = useContext(Approvals).waiting.has(id) && result === null;
  const tools = useQuery(toolsQuery);
  const { server, tool } = toolNameOf(name, tools.data?.tools ?? []);
  const [chosen, setChosen] = useState<boolean | null>(null);
  // Nobody can decide about arguments that are folded away.
  const open = chosen ?? waits;
  const pending = waits ? t('tool.waiting') : t('tool.running');
  const state = result === null ? pending : result.isError ? t('tool.failed') : '';
  return (
    <details
      className="tool"
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) setChosen(event.currentTarget.open);
      }}
      data-waiting={waits ? '' : undefined}
      data-failed={result?.isError === true ? '' : undefined}
    >
      <summary>
        <ToolIcon />
        {server === null ? null : <span className="tool-server">{server} ›</span>}
        <code>{tool}</code>
        <span className="tool-brief">{briefly(parameters)}</span>
        {duration === undefined ? null : <span className="tool-time">{formatDuration(duration, t.locale)}</span>}
        {state === '' ? null : <span className={badgeOf(waits, result)}>{state}</span>}
      </summary>
      <div className="tool-body">
        <p className="tool-heading">{t('tool.arguments')}</p>
        <LongText tag="pre" text={jsonText(parameters)} />
        {waits ? <ToolApproval id={id} name={server === null ? tool : `${server} › ${tool}`} /> : null}
        {result === null ? null : (
          <>
            <p className="tool-heading">{t('tool.result')}</p>
            <Folded>
              <LongText tag="pre" text={result.content} />
            </Folded>
            <Files files={byCall.get(id) ?? []} project={projectId} />
            {resultId === undefined ? null : <ResultChoice projectId={projectId} nodeId={resultId} />}
          </>
        )}
      </div>
    </details>
  );
}

function badgeOf(waits: boolean, result: ToolItem['result']): string {
  if (result !== null) return 'badge danger';
  return waits ? 'badge warn' : 'badge';
}
