import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.ts';
import './files.css';

/**
 * Files that are dropped anywhere on the page go to the composer. Without this, a browser would leave the page and show
 * the file instead.
 */
export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const t = useT();
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useEffect(() => {
    const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (!isFile(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!isFile(event)) return;
      setIsOver(false);
      // Something else has taken it, for example an import.
      if (event.defaultPrevented) return;
      event.preventDefault();
      take.current([...(event.dataTransfer?.files ?? [])]);
    };
    const listeners = { dragover: over, dragleave: leave, drop } as const;
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      for (const [type, listener] of Object.entries(listeners))
        window.removeEventListener(type, listener as EventListener);
    };
  }, []);
  return isOver ? (
    <div className="drop-zone" aria-hidden="true">
      {t('files.drop')}
    </div>
  ) : null;
}
