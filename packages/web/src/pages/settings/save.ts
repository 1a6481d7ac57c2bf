import { useState } from 'react';
import {
  budgetsQuery,
  deploymentsQuery,
  mcpServersQuery,
  providersQuery,
  queryClient,
  toolsQuery,
} from '../../session/queries.ts';
import { errorText } from '../../view/error-text.ts';

export type SaveState =
  | { readonly kind: 'idle' | 'busy' | 'saved' }
  | { readonly kind: 'failed'; readonly message: string };

/** Everything that a change of the server's settings may change on the page. */
const CHANGED = [providersQuery, deploymentsQuery, mcpServersQuery, toolsQuery, budgetsQuery].map(
  ({ queryKey }) => queryKey,
);

export async function readSettingsAgain(): Promise<void> {
  await Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** Changes the server's settings, reads them again, and reports the outcome. */
export function useSave(): readonly [SaveState, (change: () => Promise<unknown>) => Promise<boolean>] {
  const [state, setState] = useState<SaveState>({ kind: 'idle' });
  const save = async (change: () => Promise<unknown>): Promise<boolean> => {
    setState({ kind: 'busy' });
    try {
      await change();
      await readSettingsAgain();
      setState({ kind: 'saved' });
      return true;
    } catch (error) {
      setState({ kind: 'failed', message: errorText(error) });
      return false;
    }
  };
  return [state, save];
}
