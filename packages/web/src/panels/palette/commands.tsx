import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Command } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { useReturnFocus } from '../../parts/return-focus.ts';
import { useSettled } from '../../parts/settled.ts';
import { client } from '../../session/client.ts';
import { choosePrompt, focusComposerOf, takesPrompts } from '../../session/composer-bus.ts';
import { copyText } from '../../session/copy-text.ts';
import { useCreateProject } from '../../session/create-project.ts';
import type { Here } from '../../session/here.ts';
import type { Preferences } from '../../session/preferences.ts';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import { presetsQuery, promptsQuery } from '../../session/library.ts';
import { namedProjectsQuery, projectQuery, readAgain, refreshProject } from '../../session/queries.ts';
import { attempt } from '../../session/refusals.ts';
import { searchQuery } from '../../session/search.ts';
import { stopReplies } from '../../session/stop.ts';
import { useTurnActions } from '../../session/turn-actions.ts';
import { printConversation } from '../../session/printing.ts';
import { paletteMatch } from '../../view/palette-match.ts';
import type { SearchHit } from '../../view/search-groups.ts';
import { hitKey, searchGroups } from '../../view/search-groups.ts';
import { HitText } from '../search/hit.tsx';
import type { HereChange } from './change-here.tsx';
import type { EarlyInput } from './early.tsx';
import '../search/search.css';
import './palette.css';

interface CommandsProps {
  readonly here: Here | null;
  readonly early: EarlyInput;
  readonly onClose: () => void;
  readonly onBranch: () => void;
  readonly onChange: (change: HereChange | 'preset' | 'defaults' | 'merge') => void;
  readonly onExport: () => void;
  readonly onShortcuts: () => void;
  readonly onPanel: (panel: Preferences['panel']) => void;
  readonly onHit: (hit: SearchHit) => void;
}

const PANELS = ['graph', 'context', 'details'] as const;
const THEMES = ['system', 'light', 'dark'] as const;
const LANGUAGES = ['en', 'zh'] as const;

const MOST_UNASKED = 8;

/** Begins the value of what the server found: it fits whatever was typed, but after every name. */
const FOUND = 'found ';

const fits = (value: string, typed: string, names: readonly string[] = []): number =>
  value.startsWith(FOUND) ? 0.05 : paletteMatch(typed, names);

/** The palette itself: loaded when it is first opened. */
export function Commands(props: CommandsProps) {
  const { here, early, onClose, onBranch, onChange, onExport, onShortcuts, onPanel, onHit } = props;
  const t = useT();
  const returnFocus = useReturnFocus();
  const navigate = useNavigate();
  const preferences = usePreferences();
  const [typed, setTyped] = useState(early.typed);
  const settled = useSettled(typed, 150);
  const projects = useQuery(namedProjectsQuery(settled.trim())).data?.projects;
  const found = useInfiniteQuery(searchQuery(settled));
  const isSearch = typed.trim() !== '' && settled.trim() !== '' && found.error === null;
  const groups = isSearch ? searchGroups(found.data?.pages ?? []) : [];
  const messages = groups.flatMap(({ hits }) => hits.filter(({ kind }) => kind === 'node'));
  const [chosen, setChosen] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  // The palette selects its first line while somebody types: results that arrive later would be too late to be
  // selected.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (list.current?.querySelector('[role="option"][aria-selected="true"]') === null)
        setChosen(list.current.querySelector('[role="option"]')?.getAttribute('data-value') ?? '');
    });
    return () => cancelAnimationFrame(frame);
  }, [projects, messages.length]);
  useEffect(() => {
    if (!early.isEntered) return undefined;
    // Once its lines are in order.
    const frame = requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[role="option"]')?.click());
    return () => cancelAnimationFrame(frame);
  }, [early]);
  // What fits best is first: a list that was scrolled, or grew above the selected line, would hide it.
  useEffect(() => list.current?.scrollTo(0, 0), [typed]);
  /** Until something is typed, hundreds of branches would bury everything below them. */
  const few = <Thing,>(things: readonly Thing[]): readonly Thing[] =>
    typed.trim() === '' ? things.slice(0, MOST_UNASKED) : things;
  const create = useCreateProject();
  const presets = useQuery(presetsQuery).data ?? [];
  const prompts = useQuery(promptsQuery).data ?? [];
  const branch = here?.branch ?? null;
  const { regenerate, goTo } = useTurnActions(here?.projectId ?? '', { name: branch?.name ?? '' });
  const project = useQuery({ ...projectQuery(here?.projectId ?? ''), enabled: here !== null }).data?.project;
  const archive = async (archived: boolean): Promise<void> => {
    await client.updateProject(here?.projectId ?? '', { archived });
    await Promise.all([refreshProject(here?.projectId ?? ''), readAgain(['projects'])]);
  };
  const goToWrite = async (name: string): Promise<void> => {
    focusComposerOf(here?.projectId ?? '', name);
    await goTo(name);
  };
  const beginAgain = async (): Promise<void> => {
    const projectId = here?.projectId ?? '';
    const { branch: empty } = await client.createBranch(projectId, { empty: true });
    await refreshProject(projectId);
    await goToWrite(empty.name);
  };
  /** An action is found by its text in any language, and by its English name; a thing only by its own name. */
  const item = (value: string, label: string, run: () => unknown, english = value) => (
    <Command.Item
      key={value}
      value={value}
      keywords={[label, english]}
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
        <Radix.Content
          className="palette"
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // By itself it would select what was typed early, and the next letter would replace that.
            event.preventDefault();
            input.current?.focus();
          }}
          onCloseAutoFocus={returnFocus}
        >
          <Radix.Title className="visually-hidden">{t('palette.title')}</Radix.Title>
          <Command label={t('palette.title')} loop value={chosen} onValueChange={setChosen} filter={fits}>
            <Command.Input
              ref={input}
              value={typed}
              onValueChange={setTyped}
              placeholder={t('palette.placeholder')}
              aria-label={t('palette.placeholder')}
            />
            {/* Beside the list: a list of options may hold nothing else. */}
            <div role="status">
              {found.isFetching && isSearch && messages.length === 0 ? (
                <p className="faint palette-status">{t('search.searching')}</p>
              ) : (
                <Command.Empty>{t('palette.empty')}</Command.Empty>
              )}
              {found.data?.pages.some(({ indexing }) => indexing) === true && isSearch ? (
                <p className="faint palette-status">{t('search.indexing')}</p>
              ) : null}
            </div>
            <Command.List label={t('palette.title')} ref={list}>
              <Command.Group heading={t('palette.actions')}>
                {branch?.runningTurnId == null
                  ? null
                  : item('stop', t('palette.stop'), () =>
                      attempt(() => stopReplies(here?.projectId ?? '', { ref: branch.name })),
                    )}
                {branch === null ? null : item('new branch', t('branches.new'), onBranch)}
                {branch === null ? null : item('new empty branch', t('palette.emptyBranch'), () => attempt(beginAgain))}
                {branch === null ? null : item('switch model', t('composer.switch'), onBranch)}
                {branch === null || branch.tipId === null
                  ? null
                  : item('regenerate', t('palette.regenerate'), () => attempt(regenerate))}
                {branch === null ? null : item('rename branch', t('branches.rename'), () => onChange('rename-branch'))}
                {branch?.tipId == null || (here?.branches.length ?? 0) < 2
                  ? null
                  : item('merge into another branch', t('merge.open'), () => onChange('merge'))}
                {branch === null || (here?.branches.length ?? 0) < 2
                  ? null
                  : item('delete branch', t('branches.delete'), () => onChange('delete-branch'))}
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
                {branch === null ? null : item('save as preset', t('presets.saveAs'), () => onChange('preset'))}
                {branch === null ? null : item('project defaults', t('defaults.open'), () => onChange('defaults'))}
                {branch === null ? null : item('export', t('palette.export'), onExport)}
                {branch?.tipId == null
                  ? null
                  : item('question set from branch', t('sets.fromBranch'), () =>
                      navigate({
                        to: '/question-sets',
                        search: { project: here?.projectId ?? '', branch: branch.id },
                      }),
                    )}
                {branch?.tipId == null ? null : item('print', t('palette.print'), printConversation)}
                {item('import', t('palette.import'), () => navigate({ to: '/import' }))}
                {item('new project', t('projects.new'), () => attempt(() => create()))}
                {presets.map(({ id, name }) =>
                  item(
                    `new project preset ${id}`,
                    t('palette.newWith', { name }),
                    () => attempt(() => create({ preset: id })),
                    `new project preset ${name}`,
                  ),
                )}
                {item('copy link', t('palette.copyLink'), () => attempt(() => copyText(window.location.href)))}
                {item('shortcuts', t('shortcuts.title'), onShortcuts)}
              </Command.Group>
              {prompts.length === 0 || !takesPrompts() ? null : (
                <Command.Group heading={t('prompts.title')}>
                  {prompts.map((prompt) =>
                    item(
                      `prompt ${prompt.id}`,
                      t('palette.prompt', { name: prompt.title }),
                      () => choosePrompt(prompt),
                      `prompt ${prompt.title}`,
                    ),
                  )}
                </Command.Group>
              )}
              {here === null ? null : (
                <Command.Group heading={t('branches.title')}>
                  {few(here.branches).map((each) =>
                    item(`branch ${each.name} ${each.id}`, each.name, () => goToWrite(each.name), each.name),
                  )}
                </Command.Group>
              )}
              {branch === null || (here?.branches.length ?? 0) < 2 ? null : (
                <Command.Group heading={t('compare.title')}>
                  {few(here?.branches.filter((each) => each.id !== branch.id) ?? []).map((each) =>
                    item(
                      `compare ${each.id}`,
                      t('palette.compare', { name: each.name }),
                      () =>
                        navigate({
                          to: '/p/$projectId/compare/$left/$right',
                          params: { projectId: here?.projectId ?? '', left: branch.name, right: each.name },
                        }),
                      `compare ${each.name}`,
                    ),
                  )}
                </Command.Group>
              )}
              <Command.Group heading={t('projects.title')}>
                {(projects ?? []).map((each) =>
                  item(
                    `project ${each.name} ${each.id}`,
                    each.name,
                    () => navigate({ to: '/p/$projectId', params: { projectId: each.id } }),
                    each.name,
                  ),
                )}
              </Command.Group>
              {groups.map((group) => {
                const hits = group.hits.filter(({ kind }) => kind === 'node');
                return hits.length === 0 ? null : (
                  <Command.Group key={group.projectId} heading={group.projectName}>
                    {hits.map((hit) => (
                      <Command.Item
                        key={hitKey(hit)}
                        value={`${FOUND}${hitKey(hit)}`}
                        className="palette-hit"
                        onSelect={() => {
                          onClose();
                          onHit(hit);
                        }}
                      >
                        <HitText hit={hit} />
                      </Command.Item>
                    ))}
                  </Command.Group>
                );
              })}
              <Command.Group heading={t('palette.goTo')}>
                {item('home', t('palette.home'), () => navigate({ to: '/' }))}
                {item('kept', t('kept.title'), () => navigate({ to: '/kept' }))}
                {item('question sets', t('sets.title'), () => navigate({ to: '/question-sets' }))}
                {item('trash', t('trash.title'), () => navigate({ to: '/trash' }))}
                {item('settings', t('settings.title'), () => navigate({ to: '/settings' }))}
                {item('gateway', t('gateway.title'), () => navigate({ to: '/clients' }))}
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
