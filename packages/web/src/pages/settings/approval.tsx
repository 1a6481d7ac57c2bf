import type { ApprovalPolicy, McpServerListView } from '@bough/api/client';
import { useId } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { client } from '../../session/client.ts';
import { ownTool } from '../../view/own-tools.ts';
import { useSave } from './save.ts';
import { Saved } from './saved.tsx';

const POLICIES = ['auto', 'ask', 'never'] as const;

interface ApprovalOfProps {
  /** What the rule is about: a tool, or all of a server. */
  readonly pattern: string;
  readonly label: string;
  readonly settings: McpServerListView;
  /** What happens without a rule of its own, if that is known. */
  readonly otherwise?: ApprovalPolicy;
  /** A rule of the configuration file decides about it, whatever is chosen here. */
  readonly decidedByFile?: ApprovalPolicy | null;
}

/** Whether tools run by themselves, ask first, or never run. */
export function ApprovalOf({ pattern, label, settings, otherwise, decidedByFile = null }: ApprovalOfProps) {
  const t = useT();
  const id = useId();
  const [state, save] = useSave();
  const own = settings.rules.find((rule) => rule.pattern === pattern);
  const ofFile = own?.from === 'file' ? own.policy : decidedByFile;
  const choose = (value: string): Promise<boolean> =>
    save(() => client.setApproval(pattern, POLICIES.find((policy) => policy === value) ?? null));
  return (
    <div className="approval-rule">
      <div className="approval-row">
        <label htmlFor={id}>{label}</label>
        <select
          id={id}
          className="input"
          disabled={settings.locked || ofFile !== null}
          value={ofFile ?? own?.policy ?? ''}
          onChange={(event) => void choose(event.target.value)}
        >
          <option value="">
            {otherwise === undefined
              ? t('settings.approval.default')
              : t('settings.approval.defaultNamed', { policy: t(`settings.approval.${otherwise}`) })}
          </option>
          {POLICIES.map((policy) => (
            <option key={policy} value={policy}>
              {t(`settings.approval.${policy}`)}
            </option>
          ))}
        </select>
      </div>
      {ofFile === null ? null : <small className="hint">{t('settings.approval.file')}</small>}
      {state.kind === 'failed' ? <Saved state={state} /> : null}
    </div>
  );
}

interface ToolListProps {
  readonly tools: McpServerListView['builtIn'];
  readonly settings: McpServerListView;
}

/** Tools with what they do and the rule for each. */
export function ToolList({ tools, settings }: ToolListProps) {
  const t = useT();
  // What describes Bough's own tools to models is long, and in English alone.
  const about = (name: string, description: string): string => {
    const own = ownTool(name);
    return own === undefined ? description : t(`tool.${own}.about`);
  };
  return (
    <ul className="tool-rules">
      {tools.map(({ name, ruleName, description, approval, rule }) => (
        <li key={name}>
          <ApprovalOf
            pattern={ruleName}
            label={ruleName}
            settings={settings}
            {...(rule?.pattern === ruleName ? {} : { otherwise: approval })}
            decidedByFile={rule?.from === 'file' ? rule.policy : null}
          />
          {description === '' ? null : <p className="hint">{about(ruleName, description)}</p>}
        </li>
      ))}
    </ul>
  );
}
