import type { GatewaySessionView, GatewayView } from '@bough/api/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { client } from '../../session/client.ts';
import { projectQuery, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';

interface SessionModeProps {
  readonly session: Pick<GatewaySessionView, 'projectId'>;
  readonly serverMode: GatewayView['mode'];
}

const MODES = ['record', 'repair'] as const;
const AS_SERVER = 'server';

/** How requests of clients are treated in this project. */
export function SessionMode({ session: { projectId }, serverMode }: SessionModeProps) {
  const t = useT();
  const id = useId();
  const queries = useQueryClient();
  const chosen = useQuery(projectQuery(projectId)).data?.project.gateway.chosen;
  const choose = async (value: string): Promise<void> => {
    await client.updateProject(projectId, { gatewayMode: MODES.find((mode) => mode === value) ?? null });
    await Promise.all([refreshProject(projectId), queries.invalidateQueries({ queryKey: ['gateway'] })]);
  };
  return (
    <div className="session-mode">
      <label htmlFor={id}>{t('gateway.mode.label')}</label>
      <select
        id={id}
        className="input"
        value={chosen ?? AS_SERVER}
        disabled={chosen === undefined}
        onChange={(event) => void attempt(() => choose(event.target.value))}
      >
        <option value={AS_SERVER}>{t('gateway.mode.server', { mode: t(`gateway.mode.${serverMode}`) })}</option>
        {MODES.map((mode) => (
          <option key={mode} value={mode}>
            {t(`gateway.mode.${mode}`)}
          </option>
        ))}
      </select>
    </div>
  );
}
