import type { ReactNode } from 'react';
import { SidebarToggle } from './sidebar-toggle.tsx';

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page that is no conversation: a bar with its name, then its content. */
export function Page({ title, actions, children }: PageProps) {
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
