import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Tooltip } from 'radix-ui';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Language } from './parts/language.tsx';
import { router } from './routes.tsx';
import { registerOfflinePage } from './session/offline-page.ts';
import { queryClient } from './session/queries.ts';
import './theme/base.css';
import './theme/layout.css';
import './theme/print.css';

registerOfflinePage();

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Language>
        <Tooltip.Provider delayDuration={400}>
          <RouterProvider router={router} />
        </Tooltip.Provider>
      </Language>
    </QueryClientProvider>
  </StrictMode>,
);
