import type { ToolView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { useT } from '../../i18n/index.ts';
import { CheckIcon } from '../../parts/icons.tsx';

interface ToolChoiceProps {
  readonly tools: readonly ToolView[];
  readonly chosen: readonly string[];
  readonly disabled: boolean;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Which tools the model may use. */
export function ToolChoice({ tools, chosen, disabled, onChange }: ToolChoiceProps) {
  const t = useT();
  if (tools.length === 0) return null;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="button quiet" disabled={disabled}>
        {t('composer.tools')}
        <span className="badge">{chosen.length}</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="start" collisionPadding={8}>
          {tools.map((tool) => (
            <DropdownMenu.CheckboxItem
              key={tool.name}
              className="menu-item"
              checked={chosen.includes(tool.name)}
              disabled={!tool.available}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(on) =>
                onChange(on ? [...chosen, tool.name] : chosen.filter((name) => name !== tool.name))
              }
            >
              <span className="check" aria-hidden="true">
                {chosen.includes(tool.name) ? <CheckIcon /> : null}
              </span>
              <span>
                <code>{tool.name}</code>
                <small>{tool.description}</small>
              </span>
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
