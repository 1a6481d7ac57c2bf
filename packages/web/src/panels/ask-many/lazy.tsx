import { lazy } from 'react';

export const AskManyDialog = lazy(() =>
  import('./index.tsx').then(({ AskManyDialog: component }) => ({ default: component })),
);
