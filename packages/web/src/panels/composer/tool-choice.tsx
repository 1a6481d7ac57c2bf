import type { BranchView, ModelView, ToolView } from '@bough/api/client';
import { DropdownMenu } from 'radix-ui';
import { useT } from '../../i18n/index.ts';
import { CheckIcon, SlidersIcon, ToolIcon } from '../../parts/icons.tsx';
import { ownTool } from '../../view/own-tools.ts';
import { switched } from '../../view/provider-tool-form.ts';

interface ToolChoiceProps {
  readonly tools: readonly ToolView[];
  readonly chosen: readonly string[];
  readonly disabled: boolean;
  readonly onChange: (chosen: readonly string[]) => void;
  /** What the provider of the branch can run itself, and what of it is on. */
  readonly offered: ModelView['providerTools'];
  readonly provided: BranchView['providerTools'];
  readonly onProvide: (provided: BranchView['providerTools']) => void;
  readonly onSetUp: () => void;
}

/** Which tools the model may use. */
export function ToolChoice(props: ToolChoiceProps) {
  const { tools, chosen, disabled, onChange, offered, provided, onProvide, onSetUp } = props;
  const t = useT();
  if (tools.length === 0 && offered.length === 0) return null;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="button quiet tools" disabled={disabled}>
        <ToolIcon />
        <span className="visually-hidden">{t('composer.tools')} </span>
        <span className="word" aria-hidden="true">
          {t('composer.tools')}
        </span>
        <span className="badge">{chosen.length + provided.length}</span>
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
              <ToolText tool={tool} />
            </DropdownMenu.CheckboxItem>
          ))}
          {offered.length === 0 ? null : (
            <>
              <DropdownMenu.Label className="menu-label">{t('providerTools.menu')}</DropdownMenu.Label>
              {offered.map(({ tool, required }) => {
                const on = provided.some((each) => each.tool === tool);
                return (
                  <DropdownMenu.CheckboxItem
                    key={tool}
                    className="menu-item"
                    checked={on}
                    onSelect={(event) => {
                      // What needs settings first opens the dialog, and the menu makes room for it.
                      if (on || required.length === 0) event.preventDefault();
                    }}
                    onCheckedChange={(next) => {
                      if (next && required.length > 0) onSetUp();
                      else onProvide(switched(provided, tool, next));
                    }}
                  >
                    <span className="check" aria-hidden="true">
                      {on ? <CheckIcon /> : null}
                    </span>
                    <span>
                      {t(`providerTools.${tool}`)}
                      <small>{t(`providerTools.${tool}.why`)}</small>
                    </span>
                  </DropdownMenu.CheckboxItem>
                );
              })}
              <DropdownMenu.Item className="menu-item" onSelect={onSetUp}>
                <SlidersIcon />
                <span>{t('providerTools.setUp')}</span>
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function ToolText({ tool: { name, description } }: { readonly tool: ToolView }) {
  const t = useT();
  const own = ownTool(name);
  return (
    <span title={own === undefined ? description : name}>
      {own === undefined ? <code>{name}</code> : t(`tool.${own}`)}
      <small className="tool-about">{own === undefined ? description : t(`tool.${own}.about`)}</small>
    </span>
  );
}
