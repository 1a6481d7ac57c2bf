import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useT } from '../../i18n/later/index.ts';
import { CloseIcon } from '../../parts/icons.tsx';
import { Problem } from '../../parts/problem.tsx';
import { client } from '../../session/client.ts';
import { allowNotifications, canNotify } from '../../session/notify.ts';
import { setPreferences, usePreferences } from '../../session/preferences.ts';
import { queryClient, sessionQuery } from '../../session/queries.ts';
import { errorText } from '../../view/error-text.ts';

const THEMES = ['system', 'light', 'dark'] as const;
const LANGUAGES = ['en', 'zh'] as const;

/** What this browser remembers. */
export function BrowserSettings() {
  const t = useT();
  const { theme, language, reasoningOpen, developer } = usePreferences();
  return (
    <div className="setting-grid">
      <Choice
        label={t('settings.theme')}
        options={THEMES.map((each) => ({
          label: t(`settings.theme.${each}`),
          chosen: theme === each,
          choose: () => setPreferences({ theme: each }),
        }))}
      />
      <Choice
        label={t('settings.language')}
        options={LANGUAGES.map((each) => ({
          label: t(`settings.language.${each}`),
          chosen: language === each,
          choose: () => setPreferences({ language: each }),
        }))}
      />
      <Choice
        label={t('settings.reasoning')}
        options={[
          {
            label: t('settings.reasoning.closed'),
            chosen: !reasoningOpen,
            choose: () => setPreferences({ reasoningOpen: false }),
          },
          {
            label: t('settings.reasoning.open'),
            chosen: reasoningOpen,
            choose: () => setPreferences({ reasoningOpen: true }),
          },
        ]}
      />
      <label className="check-line">
        <input
          type="checkbox"
          checked={developer}
          onChange={(event) => setPreferences({ developer: event.target.checked })}
        />{' '}
        {t('settings.developer')}
      </label>
      <PictureHosts />
      <Notify />
      <Lock />
    </div>
  );
}

/** From where pictures are shown without asking, to be withdrawn. */
function PictureHosts() {
  const t = useT();
  const { pictureHosts } = usePreferences();
  if (pictureHosts.length === 0) return null;
  return (
    <div className="field">
      <span>{t('settings.pictures')}</span>
      <ul className="picture-hosts">
        {pictureHosts.map((host) => (
          <li key={host}>
            <span>{host}</span>
            <button
              type="button"
              className="button small quiet"
              aria-label={t('settings.pictures.remove', { host })}
              title={t('settings.pictures.remove', { host })}
              onClick={() => setPreferences({ pictureHosts: pictureHosts.filter((each) => each !== host) })}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Notifications of the browser: it asks the person itself, when they are turned on. */
function Notify() {
  const t = useT();
  const { notify } = usePreferences();
  const [isBlocked, setBlocked] = useState(false);
  if (!canNotify()) return null;
  const isOn = notify && Notification.permission === 'granted';
  const turnOn = async (): Promise<void> => setBlocked(!(await allowNotifications()));
  return (
    <>
      <label className="check-line">
        <input
          type="checkbox"
          checked={isOn}
          onChange={() => (isOn ? setPreferences({ notify: false }) : void turnOn())}
        />{' '}
        {t('settings.notify')}
      </label>
      {isBlocked ? <Problem message={t('settings.notify.blocked')} /> : null}
    </>
  );
}

/** Ends this browser's access. */
function Lock() {
  const t = useT();
  const session = useQuery(sessionQuery);
  const [problem, setProblem] = useState<string | null>(null);
  if (session.data?.tokenRequired !== true) return null;
  const lock = async (): Promise<void> => {
    try {
      await client.closeSession();
      await queryClient.resetQueries();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <>
      <button type="button" className="button" onClick={() => void lock()}>
        {t('settings.lock')}
      </button>
      {problem === null ? null : <Problem message={problem} />}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly chosen: boolean; readonly choose: () => void }[];
}

function Choice({ label, options }: ChoiceProps) {
  return (
    <fieldset className="field choices">
      <legend>{label}</legend>
      <div className="segmented">
        {options.map((option) => (
          <label key={option.label}>
            <input type="radio" name={label} checked={option.chosen} onChange={option.choose} />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
