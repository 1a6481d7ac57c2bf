import { useT } from '../i18n/index.ts';
import { setPreferences, usePreferences } from '../session/preferences.ts';
import { PanelLeftIcon } from './icons.tsx';
import { IconButton } from './tooltip.tsx';

/** Opens and closes the list of projects; the first thing in every bar. */
export function SidebarToggle() {
  const t = useT();
  const { sidebarOpen } = usePreferences();
  return (
    <IconButton
      label={t('sidebar.toggle')}
      pressed={sidebarOpen}
      onClick={() => setPreferences({ sidebarOpen: !sidebarOpen })}
    >
      <PanelLeftIcon />
    </IconButton>
  );
}
