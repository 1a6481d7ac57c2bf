import type { McpServerView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { client } from '../../session/client.ts';
import type { ToolServerForm } from '../../view/tool-server-form.ts';
import { toolServerEntry, toolServerForm } from '../../view/tool-server-form.ts';
import { NamedValues, TextField } from './fields.tsx';
import { useEntryForm } from './use-entry-form.ts';

const FIELDS = ['serverName', 'command', 'args', 'cwd', 'env', 'url', 'headers'];
const KINDS = ['program', 'address'] as const;

interface ToolServerDialogProps {
  /** Null for a new one. */
  readonly server: McpServerView | null;
  readonly onClose: () => void;
}

/** A tool server: a program that Bough starts, or an address. */
export function ToolServerDialog({ server, onClose }: ToolServerDialogProps) {
  const t = useT();
  const entry = useEntryForm<ToolServerForm>(toolServerForm(server), FIELDS, onClose);
  const { form, change, problemOf, general, formRef, isBusy, save } = entry;
  const title = server === null ? t('settings.tools.add') : t('settings.tools.change', { name: server.name });
  return (
    <Dialog open onClose={onClose} title={title} description={t('settings.tools.warning')}>
      <DialogForm
        formRef={formRef}
        save={t('settings.tools.save')}
        canSave={form.name.trim() !== ''}
        busy={isBusy}
        problem={general}
        onSave={() => save((filled) => client.setMcpServer(filled.name.trim(), toolServerEntry(filled)))}
        onClose={onClose}
      >
        {server === null ? (
          <TextField
            label={t('settings.deployment.id')}
            hint={t('settings.tools.name.hint')}
            problem={problemOf('serverName')}
            value={form.name}
            onChange={(name) => change({ name })}
          />
        ) : null}
        <fieldset className="field choices">
          <legend>{t('settings.tools.kind')}</legend>
          <div className="segmented">
            {KINDS.map((kind) => (
              <label key={kind}>
                <input type="radio" name="kind" checked={form.kind === kind} onChange={() => change({ kind })} />
                <span>{t(`settings.tools.kind.${kind}`)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        {form.kind === 'program' ? <ProgramFields {...entry} /> : <AddressFields {...entry} />}
      </DialogForm>
    </Dialog>
  );
}

type FieldsProps = Pick<ReturnType<typeof useEntryForm<ToolServerForm>>, 'form' | 'change' | 'problemOf'>;

function ProgramFields({ form, change, problemOf }: FieldsProps) {
  const t = useT();
  return (
    <>
      <TextField
        label={t('settings.tools.command')}
        hint={t('settings.tools.command.hint')}
        problem={problemOf('command')}
        mono
        placeholder="npx"
        value={form.command}
        onChange={(command) => change({ command })}
      />
      <TextField
        label={t('settings.tools.args')}
        hint={t('settings.tools.args.hint')}
        problem={problemOf('args')}
        mono
        rows={3}
        value={form.args}
        onChange={(args) => change({ args })}
      />
      <TextField
        label={t('settings.tools.cwd')}
        problem={problemOf('cwd')}
        mono
        value={form.cwd}
        onChange={(cwd) => change({ cwd })}
      />
      <NamedValues
        label={t('settings.tools.env')}
        add={t('settings.tools.env.add')}
        nameLabel={t('settings.tools.env.name')}
        values={form.env}
        problem={problemOf('env')}
        onChange={(env) => change({ env })}
      />
    </>
  );
}

function AddressFields({ form, change, problemOf }: FieldsProps) {
  const t = useT();
  return (
    <>
      <TextField
        label={t('settings.tools.url')}
        problem={problemOf('url')}
        type="url"
        placeholder="https://"
        value={form.url}
        onChange={(url) => change({ url })}
      />
      <NamedValues
        label={t('settings.headers')}
        add={t('settings.headers.add')}
        nameLabel={t('settings.headers.name')}
        values={form.headers}
        problem={problemOf('headers')}
        onChange={(headers) => change({ headers })}
      />
    </>
  );
}
