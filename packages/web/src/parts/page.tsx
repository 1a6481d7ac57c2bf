import type { ReactNode } from 'react';
import { SidebarToggle } from './sidebar-toggle.tsx';
import { useTitle } from './title.ts';

interface PageProps {
  readonly title: string;
  /** What the title is about, if there are several pages of this kind. */
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page that is not a conversation: a bar with its name, then its content. */
export function Page({ title, about, actions, children }: PageProps) {
  useTitle(...(about === undefined ? [] : [about]), title);
  return (
    <main className="main" id="conversation">
      <div className="topbar">
        <SidebarToggle />
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </main>
  );
}
