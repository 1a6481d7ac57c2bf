import type { ReactNode } from 'react';
import { useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../i18n/index.ts';

/** Long content behind a button. Whether it is long is measured once it is rendered. */
export function Folded({ children, height = 420 }: { readonly children: ReactNode; readonly height?: number }) {
  const t = useT();
  const inner = useRef<HTMLDivElement>(null);
  const [isLong, setIsLong] = useState(false);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const element = inner.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setIsLong(element.scrollHeight > height * 1.2));
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);
  const folded = isLong && !open;
  return (
    <div className="folded" data-folded={folded ? '' : undefined}>
      <div style={folded ? { maxHeight: height, overflow: 'hidden' } : undefined}>
        <div ref={inner}>{children}</div>
      </div>
      {isLong ? (
        <button type="button" className="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t('reply.fold') : t('reply.unfold')}
        </button>
      ) : null}
    </div>
  );
}
