import type { McpServerInput, McpServerView } from '@bough/api/client';
import type { NamedValue } from './named-values.ts';
import { namedValues, valuesByName } from './named-values.ts';

/** A tool server as its form shows it. */
export interface ToolServerForm {
  readonly name: string;
  readonly kind: 'program' | 'address';
  readonly command: string;
  /** One argument on each line. */
  readonly args: string;
  readonly cwd: string;
  readonly env: readonly NamedValue[];
  readonly url: string;
  readonly headers: readonly NamedValue[];
  readonly disabled: boolean;
}

const EMPTY: ToolServerForm = {
  name: '',
  kind: 'program',
  command: '',
  args: '',
  cwd: '',
  env: [],
  url: '',
  headers: [],
  disabled: false,
};

export function toolServerForm(server: Pick<McpServerView, 'name' | 'entry'> | null): ToolServerForm {
  if (server === null) return EMPTY;
  const { name, entry } = server;
  const common = { ...EMPTY, name, disabled: entry.disabled ?? false };
  if ('url' in entry) return { ...common, kind: 'address', url: entry.url, headers: namedValues(entry.headers) };
  const { command, args = [], cwd = '', env } = entry;
  return { ...common, kind: 'program', command, args: args.join('\n'), cwd, env: namedValues(env) };
}

/** The entry as the configuration file would have it. */
export function toolServerEntry(form: ToolServerForm): McpServerInput {
  const disabled = form.disabled ? { disabled: true } : {};
  if (form.kind === 'address') {
    const headers = valuesByName(form.headers);
    return { url: form.url.trim(), ...(headers === null ? {} : { headers }), ...disabled };
  }
  const args = form.args.split('\n').filter((line) => line !== '');
  const env = valuesByName(form.env);
  return {
    command: form.command.trim(),
    ...(args.length === 0 ? {} : { args }),
    ...(form.cwd.trim() === '' ? {} : { cwd: form.cwd.trim() }),
    ...(env === null ? {} : { env }),
    ...disabled,
  };
}
