import type { DragEvent } from 'react';
import { useState } from 'react';

/** What makes an element a place to drop a file on; `data-over` while one is over it. */
export function useFileDrop(onFile: (file: File) => void) {
  const [isOver, setIsOver] = useState(false);
  return {
    'data-over': isOver ? '' : undefined,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setIsOver(true);
    },
    onDragLeave: () => setIsOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setIsOver(false);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) onFile(file);
    },
  };
}
