import { useState } from 'react';
import { providersQuery, queryClient } from '../../session/queries.ts';
import { errorText } from '../../view/error-text.ts';

export type SaveState =
  | { readonly kind: 'idle' | 'busy' | 'saved' }
  | { readonly kind: 'failed'; readonly message: string };

/** Changes the server's settings, reads them again, and reports the outcome. */
export function useSave(): readonly [SaveState, (change: () => Promise<void>) => Promise<boolean>] {
  const [state, setState] = useState<SaveState>({ kind: 'idle' });
  const save = async (change: () => Promise<void>): Promise<boolean> => {
    setState({ kind: 'busy' });
    try {
      await change();
      await queryClient.invalidateQueries({ queryKey: providersQuery.queryKey });
      setState({ kind: 'saved' });
      return true;
    } catch (error) {
      setState({ kind: 'failed', message: errorText(error) });
      return false;
    }
  };
  return [state, save];
}
