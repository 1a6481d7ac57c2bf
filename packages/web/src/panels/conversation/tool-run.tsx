import { useContext } from 'react';
import { useT } from '../../i18n/index.ts';
import { Folded } from '../../parts/folded.tsx';
import { ToolIcon } from '../../parts/icons.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { formatDuration } from '../../view/format.ts';
import type { ShownItem } from '../../view/items.ts';
import { compactJson, jsonText } from '../../view/json-text.ts';
import { ToolTimes } from './tool-times.ts';

type ToolItem = Extract<ShownItem, { type: 'tool' }>;

/** A tool call: its name at a glance, everything else on request. */
export function ToolRun({ item }: { readonly item: Pick<ToolItem, 'id' | 'name' | 'parameters' | 'result'> }) {
  const t = useT();
  const { id, name, parameters, result } = item;
  const duration = useContext(ToolTimes).get(id);
  const state = result === null ? t('tool.running') : result.isError ? t('tool.failed') : '';
  return (
    <details className="tool" data-failed={result?.isError === true ? '' : undefined}>
      <summary>
        <ToolIcon />
        <code>{name}</code>
        <span className="tool-brief">{briefly(parameters)}</span>
        {duration === undefined ? null : <span className="tool-time">{formatDuration(duration, t.locale)}</span>}
        {state === '' ? null : <span className={result === null ? 'badge' : 'badge danger'}>{state}</span>}
      </summary>
      <div className="tool-body">
        <h4>{t('tool.arguments')}</h4>
        <LongText tag="pre" text={jsonText(parameters)} />
        {result === null ? null : (
          <>
            <h4>{t('tool.result')}</h4>
            <Folded>
              <LongText tag="pre" text={result.content} />
            </Folded>
          </>
        )}
      </div>
    </details>
  );
}

/** Its arguments on one line: enough to distinguish calls of the same tool. */
export function briefly(parameters: Readonly<Record<string, unknown>>): string {
  const values = Object.values(parameters).map((value) => (typeof value === 'string' ? value : compactJson(value)));
  const text = values.join(', ');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
