import type { ModelView, ToolView } from '@bough/api/client';
import type { ReactNode } from 'react';
import type { Translator } from '../../i18n/later/index.ts';
import { useT } from '../../i18n/later/index.ts';
import type { EnvelopeForm } from '../../view/envelope-form.ts';
import { ownTool } from '../../view/own-tools.ts';

const LEVELS = ['off', 'low', 'medium', 'high'] as const;

interface ThinkingFieldProps {
  readonly value: EnvelopeForm['thinking'];
  /** Null for a model that we do not know: then every option is offered. */
  readonly model: ModelView | null;
  readonly note: ReactNode;
  readonly onChange: (thinking: EnvelopeForm['thinking']) => void;
}

export function ThinkingField({ value, model, note, onChange }: ThinkingFieldProps) {
  const t = useT();
  if (model !== null && !model.canThink) return null;
  const levels = model?.alwaysThinks === true ? LEVELS.filter((level) => level !== 'off') : LEVELS;
  return (
    <fieldset className="field choices">
      <legend>
        {t('composer.thinking')} {note}
      </legend>
      <div className="segmented">
        {levels.map((level) => (
          <label key={level}>
            <input
              type="radio"
              name="thinking"
              value={level}
              checked={value === level}
              onChange={() => onChange(level)}
            />
            <span>{t(`thinking.${level}`)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface PromptAndToolsProps {
  readonly form: EnvelopeForm;
  readonly tools: readonly ToolView[];
  readonly promptNote: ReactNode;
  /** Below the prompt: from where another one counts. */
  readonly promptChoice: ReactNode;
  readonly toolsNote: ReactNode;
  readonly onChange: (change: Partial<EnvelopeForm>) => void;
}

export function PromptAndTools({ form, tools, promptNote, promptChoice, toolsNote, onChange }: PromptAndToolsProps) {
  const t = useT();
  return (
    <>
      <label className="field">
        <span>
          {t('branch.systemPrompt')} {promptNote}
        </span>
        <textarea
          className="input"
          rows={3}
          value={form.systemPrompt}
          placeholder={t('branch.none')}
          onChange={(event) => onChange({ systemPrompt: event.target.value })}
        />
      </label>
      {promptChoice}
      {tools.length === 0 ? null : (
        <fieldset className="field choices">
          <legend>
            {t('composer.tools')} {toolsNote}
          </legend>
          <div className="tool-checks">
            {tools.map((tool) => (
              <label key={tool.name} title={aboutTool(tool, t)}>
                <input
                  type="checkbox"
                  checked={form.tools.includes(tool.name)}
                  disabled={!tool.available}
                  onChange={(event) =>
                    onChange({
                      tools: event.target.checked
                        ? [...form.tools, tool.name]
                        : form.tools.filter((each) => each !== tool.name),
                    })
                  }
                />
                <ToolName name={tool.name} />
              </label>
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}

function aboutTool({ name, description }: ToolView, t: Translator): string {
  const own = ownTool(name);
  return own === undefined ? description : t(`tool.${own}.about`);
}

function ToolName({ name }: { readonly name: string }) {
  const t = useT();
  const own = ownTool(name);
  return own === undefined ? <code>{name}</code> : <span>{t(`tool.${own}`)}</span>;
}
