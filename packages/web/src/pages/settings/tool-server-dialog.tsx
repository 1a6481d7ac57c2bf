import type { McpServerView } from '@bough/api/client';
import { useT } from '../../i18n/later/index.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogForm } from '../../parts/dialog-form.tsx';
import { client } from '../../session/client.ts';
import type { ToolServerForm } from '../../view/tool-server-form.ts';
import { toolServerEntry, toolServerForm } from '../../view/tool-server-form.ts';
import { Field, NamedValues } from './fields.tsx';
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
          <Field
            label={t('settings.deployment.id')}
            hint={t('settings.tools.name.hint')}
            problem={problemOf('serverName')}
          >
            {(props) => (
              <input
                {...props}
                className="input"
                spellCheck={false}
                value={form.name}
                onChange={(event) => change({ name: event.target.value })}
              />
            )}
          </Field>
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
      <Field label={t('settings.tools.command')} hint={t('settings.tools.command.hint')} problem={problemOf('command')}>
        {(props) => (
          <input
            {...props}
            className="input mono"
            spellCheck={false}
            placeholder="npx"
            value={form.command}
            onChange={(event) => change({ command: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('settings.tools.args')} hint={t('settings.tools.args.hint')} problem={problemOf('args')}>
        {(props) => (
          <textarea
            {...props}
            className="input mono"
            rows={3}
            spellCheck={false}
            value={form.args}
            onChange={(event) => change({ args: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('settings.tools.cwd')} problem={problemOf('cwd')}>
        {(props) => (
          <input
            {...props}
            className="input mono"
            spellCheck={false}
            value={form.cwd}
            onChange={(event) => change({ cwd: event.target.value })}
          />
        )}
      </Field>
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
      <Field label={t('settings.tools.url')} problem={problemOf('url')}>
        {(props) => (
          <input
            {...props}
            className="input"
            type="url"
            spellCheck={false}
            placeholder="https://"
            value={form.url}
            onChange={(event) => change({ url: event.target.value })}
          />
        )}
      </Field>
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
