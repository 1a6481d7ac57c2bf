import type { DragEvent } from 'react';
import { useState, useSyncExternalStore } from 'react';
import { changeProjects } from './change-projects.ts';
import { attempt } from './refusals.ts';

interface Dragged {
  readonly id: string;
  readonly folder: string | null;
}

// While something is dragged, a page may read its kind but not what it is: what this page drags, it remembers.
let dragged: Dragged | null = null;
const listeners = new Set<() => void>();

function set(next: Dragged | null): void {
  dragged = next;
  for (const listener of listeners) listener();
}

export function useDragged(): Dragged | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => dragged,
  );
}

/** For the link of a project. It is still a link: dropped into another window, it is its address. */
export const dragProject = (project: Dragged) => ({
  onDragStart: ({ dataTransfer }: DragEvent) => {
    dataTransfer.effectAllowed = 'copyMove';
    set({ id: project.id, folder: project.folder });
  },
  onDragEnd: () => set(null),
});

/** For a place where projects can be dropped: a folder, or outside all of them (null). */
export function useDropProject(folder: string | null) {
  const [isOver, setIsOver] = useState(false);
  const project = useDragged();
  const isWelcome = project !== null && project.folder !== folder;
  return {
    isOver: isOver && isWelcome,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isWelcome) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setIsOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setIsOver(false);
      },
      onDrop: (event: DragEvent) => {
        setIsOver(false);
        if (!isWelcome) return;
        event.preventDefault();
        set(null);
        void attempt(() => changeProjects([project.id], { folder }));
      },
    },
  };
}
