import { useQuery } from '@tanstack/react-query';
import { DropdownMenu } from 'radix-ui';
import { useT } from '../../i18n/index.ts';
import { ChevronDownIcon, PlusIcon } from '../../parts/icons.tsx';
import { IconButton } from '../../parts/tooltip.tsx';
import { useCreateProject } from '../../session/create-project.ts';
import { presetsQuery } from '../../session/library.ts';
import { attempt } from '../../session/refusals.ts';

/** A new project with one click; where there are presets, another one can be chosen beside it. */
export function NewProject() {
  const t = useT();
  const create = useCreateProject();
  const presets = useQuery(presetsQuery).data ?? [];
  const begin = (preset: string | null) => () => void attempt(() => create({ preset }));
  return (
    <>
      <IconButton label={t('projects.new')} onClick={() => void attempt(() => create())}>
        <PlusIcon />
      </IconButton>
      {presets.length === 0 ? null : (
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger
            className="icon-button narrow"
            aria-label={t('projects.new.with')}
            title={t('projects.new.with')}
          >
            <ChevronDownIcon />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className="menu" align="end" collisionPadding={8}>
              {presets.map(({ id, name, isDefault }) => (
                <DropdownMenu.Item key={id} className="menu-item" onSelect={begin(id)}>
                  <span>{name}</span>
                  {isDefault ? <span className="badge">{t('presets.default')}</span> : null}
                </DropdownMenu.Item>
              ))}
              <DropdownMenu.Item className="menu-item" onSelect={begin(null)}>
                {t('presets.none')}
              </DropdownMenu.Item>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
    </>
  );
}
