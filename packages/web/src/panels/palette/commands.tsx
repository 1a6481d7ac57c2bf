import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import { useReturnFocus } from '../../parts/return-focus.ts';
import { useSettled } from '../../parts/settled.ts';
import { client } from '../../session/client.ts';
import { copyText } from '../../session/copy-text.ts';
import { useCreateProject } from '../../session/create-project.ts';
import type { Here } from '../../session/here.ts';
import type { Preferences } from '../../session/preferences.ts';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import { namedProjectsQuery, projectQuery, readAgain, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { paletteMatch } from '../../view/palette-match.ts';
import type { HereChange } from './change-here.tsx';
import './palette.css';

interface CommandsProps {
  readonly here: Here | null;
  readonly onClose: () => void;
  readonly onBranch: () => void;
  readonly onChange: (change: HereChange) => void;
  readonly onShortcuts: () => void;
  readonly onPanel: (panel: Preferences['panel']) => void;
}

const PANELS = ['graph', 'context', 'details'] as const;
const THEMES = ['system', 'light', 'dark'] as const;
const LANGUAGES = ['en', 'zh'] as const;

const fits = (_value: string, typed: string, names: readonly string[] = []): number => paletteMatch(typed, names);

/** The palette itself: loaded when it is first opened. */
export function Commands({ here, onClose, onBranch, onChange, onShortcuts, onPanel }: CommandsProps) {
  const t = useT();
  const returnFocus = useReturnFocus();
  const navigate = useNavigate();
  const preferences = usePreferences();
  const [typed, setTyped] = useState('');
  const projects = useQuery(namedProjectsQuery(useSettled(typed.trim(), 150))).data?.projects;
  const [chosen, setChosen] = useState('');
  const list = useRef<HTMLDivElement>(null);
  // The palette selects its first line while somebody types: results that arrive later would be too late to be
  // selected.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (list.current?.querySelector('[role="option"][aria-selected="true"]') === null)
        setChosen(list.current.querySelector('[role="option"]')?.getAttribute('data-value') ?? '');
    });
    return () => cancelAnimationFrame(frame);
  }, [projects]);
  const create = useCreateProject();
  const branch = here?.branch ?? null;
  const { regenerate, goTo } = useTurnActions(here?.projectId ?? '', { name: branch?.name ?? '' });
  const project = useQuery({ ...projectQuery(here?.projectId ?? ''), enabled: here !== null }).data?.project;
  const archive = async (archived: boolean): Promise<void> => {
    await client.updateProject(here?.projectId ?? '', { archived });
    await Promise.all([refreshProject(here?.projectId ?? ''), readAgain(['projects'])]);
  };
  /** An action is found by its text in any language, and by its English name; a thing only by its own name. */
  const item = (value: string, label: string, run: () => unknown, isThing = false) => (
    <Command.Item
      key={value}
      value={value}
      keywords={isThing ? [label] : [label, value]}
      onSelect={() => {
        onClose();
        void run();
      }}
    >
      {label}
    </Command.Item>
  );
  return (
    <Radix.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Radix.Portal>
        <Radix.Overlay className="dialog-overlay" />
        <Radix.Content className="palette" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
          <Radix.Title className="visually-hidden">{t('palette.title')}</Radix.Title>
          <Command label={t('palette.title')} loop value={chosen} onValueChange={setChosen} filter={fits}>
            <Command.Input
              value={typed}
              onValueChange={setTyped}
              placeholder={t('palette.placeholder')}
              aria-label={t('palette.placeholder')}
            />
            <Command.List label={t('palette.title')} ref={list}>
              <Command.Empty>{t('palette.empty')}</Command.Empty>
              <Command.Group heading={t('palette.actions')}>
                {branch?.runningTurnId == null
                  ? null
                  : item('stop', t('palette.stop'), () =>
                      attempt(async () => void (await client.interrupt(here?.projectId ?? '', { ref: branch.name }))),
                    )}
                {branch === null ? null : item('new branch', t('branches.new'), onBranch)}
                {branch === null ? null : item('switch model', t('composer.switch'), onBranch)}
                {branch === null || branch.tipId === null
                  ? null
                  : item('regenerate', t('palette.regenerate'), () => attempt(regenerate))}
                {branch === null ? null : item('rename branch', t('branches.rename'), () => onChange('rename-branch'))}
                {branch === null || (here?.branches.length ?? 0) < 2
                  ? null
                  : item('delete branch', t('branches.delete'), () => onChange('delete-branch'))}
                {branch === null
                  ? null
                  : here?.branches
                      .filter((each) => each.id !== branch.id)
                      .map((each) =>
                        item(`compare ${each.id}`, t('palette.compare', { name: each.name }), () =>
                          navigate({
                            to: '/p/$projectId/compare/$left/$right',
                            params: { projectId: here.projectId, left: branch.name, right: each.name },
                          }),
                        ),
                      )}
                {branch === null
                  ? null
                  : item('rename project', t('palette.renameProject'), () => onChange('rename-project'))}
                {project === undefined
                  ? null
                  : item('archive project', t(project.archived ? 'palette.unarchive' : 'palette.archive'), () =>
                      attempt(() => archive(!project.archived)),
                    )}
                {branch === null
                  ? null
                  : item('delete project', t('projects.delete'), () => onChange('delete-project'))}
                {item('new project', t('projects.new'), () => create())}
                {item('copy link', t('palette.copyLink'), () => attempt(() => copyText(window.location.href)))}
                {item('shortcuts', t('shortcuts.title'), onShortcuts)}
              </Command.Group>
              {here === null ? null : (
                <Command.Group heading={t('branches.title')}>
                  {here.branches.map((each) =>
                    item(`branch ${each.name} ${each.id}`, each.name, () => goTo(each.name), true),
                  )}
                </Command.Group>
              )}
              <Command.Group heading={t('projects.title')}>
                {(projects ?? []).map((each) =>
                  item(
                    `project ${each.name} ${each.id}`,
                    each.name,
                    () => navigate({ to: '/p/$projectId', params: { projectId: each.id } }),
                    true,
                  ),
                )}
              </Command.Group>
              <Command.Group heading={t('palette.goTo')}>
                {item('home', t('palette.home'), () => navigate({ to: '/' }))}
                {item('settings', t('settings.title'), () => navigate({ to: '/settings' }))}
                {item('diagnostics', t('diagnostics.title'), () => navigate({ to: '/diagnostics' }))}
              </Command.Group>
              <Command.Group heading={t('palette.view')}>
                {PANELS.map((panel) =>
                  item(`panel ${panel}`, t('palette.panel', { name: t(`panel.${panel}`) }), () => onPanel(panel)),
                )}
                {item('sidebar', t('sidebar.toggle'), () => setPreferences({ sidebarOpen: !preferences.sidebarOpen }))}
                {THEMES.map((theme) =>
                  item(`theme ${theme}`, t('palette.theme', { name: t(`settings.theme.${theme}`) }), () =>
                    setPreferences({ theme }),
                  ),
                )}
                {LANGUAGES.map((language) =>
                  item(
                    `language ${language}`,
                    t('palette.language', { name: t(`settings.language.${language}`) }),
                    () => setPreferences({ language }),
                  ),
                )}
              </Command.Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
