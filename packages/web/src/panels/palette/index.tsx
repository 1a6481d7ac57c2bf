import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useHere } from '../../session/here.ts';
import { focusComposerOf } from '../../session/composer-bus.ts';
import { askAboutWords } from '../../session/conversation-bus.ts';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import { MergeDialog } from '../merge/lazy.tsx';
import { useOpenHit } from '../search/open-hit.tsx';
import type { HereChange } from './change-here.tsx';
import { Early, NOTHING_EARLY } from './early.tsx';
import type { ShortcutId } from '../../view/shortcuts.ts';
import { shortcutOf, typesLetter } from '../../view/shortcuts.ts';

const Commands = lazy(() => import('./commands.tsx').then(({ Commands: component }) => ({ default: component })));
const Shortcuts = lazy(() => import('./shortcuts.tsx').then(({ Shortcuts: component }) => ({ default: component })));
const ChangeHere = lazy(() =>
  import('./change-here.tsx').then(({ ChangeHere: component }) => ({ default: component })),
);
const BranchDialog = lazy(() =>
  import('../branch-dialog/index.tsx').then(({ BranchDialog: component }) => ({ default: component })),
);

const PresetDialog = lazy(() =>
  import('../presets/preset-dialog.tsx').then(({ PresetDialog: component }) => ({ default: component })),
);
const ProjectDefaults = lazy(() =>
  import('../project-defaults/index.tsx').then(({ ProjectDefaults: component }) => ({ default: component })),
);
const ExportDialog = lazy(() =>
  import('../../parts/export-dialog/index.tsx').then(({ ExportDialog: component }) => ({ default: component })),
);

function isHereChange(open: string | null): open is HereChange {
  return open !== null && /^(rename|delete)-(branch|project)$/.test(open);
}

/** The button that answers the first call that waits for approval; declining asks for a reason first. */
function firstAnswer(shortcut: ShortcutId): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-answer="${shortcut}"]`);
}

/** Everything that can be done, by name, and the keyboard shortcuts for it. */
export function Palette() {
  const [open, setOpen] = useState<
    'commands' | 'shortcuts' | 'branch' | 'preset' | 'defaults' | 'export' | 'merge' | HereChange | null
  >(null);
  const [early, setEarly] = useState(NOTHING_EARLY);
  const here = useHere();
  const navigate = useNavigate();
  const preferences = usePreferences();
  const { open: openHit, dialog } = useOpenHit();

  const step = (by: 1 | -1): void => {
    if (here?.branch == null) return;
    const shown = here.branches.filter((each) => !each.hidden || each.id === here.branch?.id);
    const next = shown[shown.findIndex((each) => each.id === here.branch?.id) + by];
    if (next === undefined) return;
    // Whoever is writing goes on writing there.
    if (document.activeElement?.id === 'composer') focusComposerOf(here.projectId, next.name);
    void navigate({ to: '/p/$projectId/b/$branch', params: { projectId: here.projectId, branch: next.name } });
  };
  const panel = (name: 'graph' | 'context' | 'details'): void => {
    const isShown = preferences.panelOpen && preferences.panel === name;
    setPreferences({ panelOpen: !isShown, panel: name });
  };
  const run: Readonly<Record<ShortcutId, () => void>> = {
    palette: () => {
      setEarly(NOTHING_EARLY);
      setOpen((before) => (before === 'commands' ? null : 'commands'));
    },
    previousBranch: () => step(-1),
    nextBranch: () => step(1),
    graph: () => panel('graph'),
    context: () => panel('context'),
    details: () => panel('details'),
    sidebar: () => setPreferences({ sidebarOpen: !preferences.sidebarOpen }),
    composer: () => document.getElementById('composer')?.focus(),
    allow: () => firstAnswer('allow')?.click(),
    always: () => firstAnswer('always')?.click(),
    decline: () => firstAnswer('decline')?.click(),
    ask: askAboutWords.ring,
    help: () => setOpen('shortcuts'),
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isTyping =
      event.target instanceof Element && event.target.matches('input, textarea, select, [contenteditable]');
    const shortcut = shortcutOf(event, isTyping);
    // A dialog has the keyboard to itself; only the palette's own shortcut still closes it.
    const isBlocked = document.querySelector('[role="dialog"]') !== null && shortcut !== 'palette';
    if (shortcut === null || isBlocked || event.defaultPrevented) return;
    // Somebody writes a word, unless there is a question that the key answers.
    if (isTyping && typesLetter(event) && firstAnswer(shortcut) === null) return;
    event.preventDefault();
    run[shortcut]();
  });
  useEffect(() => {
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);

  const close = (): void => setOpen(null);
  return (
    <Suspense fallback={null}>
      {dialog}
      {open === 'commands' ? (
        <Suspense fallback={<Early input={early} onInput={setEarly} onClose={close} />}>
          <Commands
            here={here}
            early={early}
            onClose={close}
            onBranch={() => setOpen('branch')}
            onChange={setOpen}
            onExport={() => setOpen('export')}
            onShortcuts={() => setOpen('shortcuts')}
            onPanel={panel}
            onHit={openHit}
          />
        </Suspense>
      ) : null}
      {open === 'export' && here?.branch != null ? (
        <ExportDialog projectId={here.projectId} branch={here.branch.name} onClose={close} />
      ) : null}
      {open === 'merge' && here?.branch != null ? (
        <MergeDialog projectId={here.projectId} branch={here.branch} onClose={close} />
      ) : null}
      {open === 'shortcuts' ? <Shortcuts onClose={close} /> : null}
      {open === 'branch' && here?.branch != null ? (
        <BranchDialog projectId={here.projectId} source={here.branch} onClose={close} />
      ) : null}
      {open === 'preset' && here?.branch != null ? <PresetDialog source={here.branch} onClose={close} /> : null}
      {open === 'defaults' && here !== null ? <ProjectDefaults projectId={here.projectId} onClose={close} /> : null}
      {here !== null && isHereChange(open) ? <ChangeHere here={here} change={open} onClose={close} /> : null}
    </Suspense>
  );
}
