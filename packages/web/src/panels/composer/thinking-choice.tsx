import type { BranchView, ModelView } from '@bough/api/client';
import { useT } from '../../i18n/index.ts';
import { ChevronDownIcon, ThoughtIcon } from '../../parts/icons.tsx';
import { thinkingText } from '../../view/thinking-text.ts';

type Thinking = BranchView['thinking'];

interface ThinkingChoiceProps {
  readonly value: Thinking;
  readonly model: ModelView | null;
  readonly disabled: boolean;
  readonly onChange: (thinking: Thinking) => void;
}

const LEVELS = ['off', 'low', 'medium', 'high'] as const;

/** How hard the model thinks. A model that always thinks cannot be told to stop. */
export function ThinkingChoice({ value, model, disabled, onChange }: ThinkingChoiceProps) {
  const t = useT();
  if (model !== null && !model.canThink) return null;
  const levels = model?.alwaysThinks === true ? LEVELS.filter((level) => level !== 'off') : LEVELS;
  return (
    <label className="choice">
      <ThoughtIcon />
      <span className="word" aria-hidden="true">
        {t('composer.thinking')}
      </span>
      <span className="choice-value" aria-hidden="true">
        {thinkingText(value, t)}
        <ChevronDownIcon />
      </span>
      {/* Invisible on top of its value: on a phone its letters must be too large for a bar (WEB-27). */}
      <select
        aria-label={t('composer.thinking')}
        value={typeof value === 'string' ? value : 'budget'}
        disabled={disabled}
        onChange={(event) => {
          const level = LEVELS.find((each) => each === event.target.value);
          if (level !== undefined) onChange(level);
        }}
      >
        {levels.map((level) => (
          <option key={level} value={level}>
            {t(`thinking.${level}`)}
          </option>
        ))}
        {typeof value === 'string' ? null : <option value="budget">{thinkingText(value, t)}</option>}
      </select>
    </label>
  );
}
