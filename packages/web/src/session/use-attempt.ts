import { useState } from 'react';
import { errorText } from '../view/error-text.ts';
import { wasDeclined } from './over-budget.ts';

/** Does what a form is for, never twice at once, and keeps why it failed, for the form to tell. */
export function useAttempt() {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** Returns whether it was done. */
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    if (busy) return false;
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      if (!wasDeclined(error)) setProblem(errorText(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, setProblem, run };
}
