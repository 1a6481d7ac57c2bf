import type { McpServerListView, McpServerView } from '@bough/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { PlusIcon } from '../../parts/icons.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { mcpServersQuery } from '../../session/queries.ts';
import { toolServerEntry, toolServerForm } from '../../view/tool-server-form.ts';
import { ApprovalOf, ToolList } from './approval.tsx';
import { useSave } from './save.ts';
import { Saved } from './saved.tsx';
import { Stored } from './stored.tsx';
import { ToolServerDialog } from './tool-server-dialog.tsx';

/** MCP servers, their tools, and which of them ask first. */
export function ToolServers() {
  const t = useT();
  const { data, isError, error, failureCount } = useQuery(mcpServersQuery);
  const [isAdding, setAdding] = useState(false);
  if (isError) return <Problem message={error.message} />;
  if (data === undefined) return <Loading failures={failureCount} />;
  return (
    <>
      <p className="hint">{t('settings.tools.lead')}</p>
      <ul className="provider-list">
        {data.servers.map((server) => (
          <li key={server.name}>
            <ToolServer server={server} settings={data} />
          </li>
        ))}
        <li>
          <details className="provider">
            <summary>
              <span className="provider-name">{t('settings.tools.builtIn')}</span>
              <span className="badges">
                <span className="badge">{t('settings.tools.count', { count: data.builtIn.length })}</span>
              </span>
            </summary>
            <div className="provider-body">
              <ToolList tools={data.builtIn} settings={data} />
            </div>
          </details>
        </li>
      </ul>
      {data.locked ? null : (
        <button type="button" className="button add" onClick={() => setAdding(true)}>
          <PlusIcon />
          {t('settings.tools.add')}
        </button>
      )}
      <Stored places={data} />
      {isAdding ? <ToolServerDialog server={null} onClose={() => setAdding(false)} /> : null}
    </>
  );
}

const TONE: Readonly<Record<McpServerView['state'], string>> = {
  connected: 'badge good',
  connecting: 'badge',
  failed: 'badge danger',
  disabled: 'badge',
};

interface ToolServerProps {
  readonly server: McpServerView;
  readonly settings: McpServerListView;
}

function ToolServer({ server, settings }: ToolServerProps) {
  const t = useT();
  const { name, from, entry, state, problem, tools } = server;
  return (
    <details className="provider" data-server={name}>
      <summary>
        <span className="provider-name">{name}</span>
        <span className="badges">
          {from === 'file' ? <span className="badge">{t('settings.from.file')}</span> : null}
          {state === 'connected' ? (
            <span className="badge">{t('settings.tools.count', { count: tools.length })}</span>
          ) : null}
          <span className={TONE[state]}>{t(`settings.tools.state.${state}`)}</span>
        </span>
      </summary>
      <div className="provider-body">
        <code className="command">{'url' in entry ? entry.url : [entry.command, ...(entry.args ?? [])].join(' ')}</code>
        {problem === null ? null : (
          <p className="bad" role="status">
            {t('settings.tools.problem', { problem })}
          </p>
        )}
        <ApprovalOf pattern={`${name}.*`} label={t('settings.tools.approval.all')} settings={settings} />
        {tools.length === 0 ? null : <ToolList tools={tools} settings={settings} />}
        <Actions server={server} locked={settings.locked} />
      </div>
    </details>
  );
}

function Actions({ server, locked }: { readonly server: McpServerView; readonly locked: boolean }) {
  const t = useT();
  const { name, from, alsoInPage, state } = server;
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const [saved, save] = useSave();
  const isOwn = from === 'page' && !locked;
  const isOff = state === 'disabled';
  const close = (): void => setOpen(null);
  const turn = (): Promise<unknown> =>
    client.setMcpServer(name, toolServerEntry({ ...toolServerForm(server), disabled: !isOff }));
  return (
    <>
      {from === 'file' ? <p className="hint">{t('settings.readOnly')}</p> : null}
      {alsoInPage ? <p className="hint">{t('settings.alsoInPage')}</p> : null}
      <div className="setting-actions">
        {isOff ? null : (
          <button type="button" className="button" onClick={() => void save(() => client.reconnectMcpServer(name))}>
            {t('settings.tools.reconnect')}
          </button>
        )}
        {isOwn ? (
          <>
            <button type="button" className="button" onClick={() => void save(turn)}>
              {t(isOff ? 'settings.tools.enable' : 'settings.tools.disable')}
            </button>
            <button type="button" className="button" onClick={() => setOpen('edit')}>
              {t('settings.change')}
            </button>
          </>
        ) : null}
        {isOwn || (alsoInPage && !locked) ? (
          <button type="button" className="button danger" onClick={() => setOpen('remove')}>
            {t('settings.remove')}
          </button>
        ) : null}
        {saved.kind === 'busy' ? (
          <span className="hint" role="status">
            {t('settings.working')}
          </span>
        ) : null}
        {saved.kind === 'failed' ? <Saved state={saved} /> : null}
      </div>
      {open === 'edit' ? <ToolServerDialog server={server} onClose={close} /> : null}
      <Confirm
        open={open === 'remove'}
        title={t('settings.tools.remove', { name })}
        question={t('settings.tools.remove.sure')}
        confirm={t('settings.remove')}
        onClose={close}
        onConfirm={() => void save(() => client.deleteMcpServer(name))}
      />
    </>
  );
}
