import { useEffect } from 'react';

/** Whether it is files that are dragged. */
export const isFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

/**
 * A file that nothing on the page takes is not dropped at all. Without this, a browser would leave the page and show
 * the file instead. On the window, behind everything that takes files.
 */
export function useStay(): void {
  useEffect(() => {
    const stay = (event: DragEvent): void => {
      if (!isFile(event) || event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
    };
    window.addEventListener('dragover', stay);
    window.addEventListener('drop', stay);
    return () => {
      window.removeEventListener('dragover', stay);
      window.removeEventListener('drop', stay);
    };
  }, []);
}
