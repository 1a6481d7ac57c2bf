import type { ComponentProps } from 'react';
import { useState } from 'react';
import { useT } from '../i18n/index.ts';
import { setPreferences, usePreferences } from '../session/preferences.ts';
import './picture.css';

/** What the reader asked for, until the page is left: scrolling past a picture must not hide it again. */
const shownOnce = new Set<string>();

/**
 * A picture in Markdown. Its server would learn that and when the message is read, so nothing is fetched before the
 * reader has seen where it comes from and asked for it.
 */
export function Picture({ alt = '', src = '' }: ComponentProps<'img'>) {
  const address = src;
  const host = hostOf(address);
  const t = useT();
  const { pictureHosts } = usePreferences();
  const [isWanted, setIsWanted] = useState(() => shownOnce.has(address));
  const [isAlways, setIsAlways] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  if (host === null)
    return <span className="badge">{alt === '' ? t('picture.refused', { src: shortened(address) }) : alt}</span>;
  const show = (): void => {
    shownOnce.add(address);
    setIsWanted(true);
    if (isAlways) setPreferences({ pictureHosts: [...new Set([...pictureHosts, host])] });
  };
  if (hasFailed) return <span className="badge">{t('picture.failed', { host })}</span>;
  if (isWanted || pictureHosts.includes(host))
    return (
      <img
        className="picture"
        src={address}
        alt={alt}
        referrerPolicy="no-referrer"
        loading="lazy"
        decoding="async"
        onError={() => setHasFailed(true)}
      />
    );
  return (
    <span className="picture-ask">
      {alt === '' ? null : <span className="picture-alt">{alt}</span>}
      <button type="button" className="button small" onClick={show}>
        {t('picture.show', { host })}
      </button>
      <label className="picture-always">
        <input type="checkbox" checked={isAlways} onChange={(event) => setIsAlways(event.target.checked)} />{' '}
        {t('picture.always', { host })}
      </label>
    </span>
  );
}

/** Null for whatever is not fetched from an encrypted web address: the page's own security policy refuses the rest. */
function hostOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host, username, password } = new URL(address);
  return protocol === 'https:' && host !== '' && username === '' && password === '' ? host : null;
}

function shortened(address: string): string {
  return address.length <= 60 ? address : `${address.slice(0, 60)}…`;
}
