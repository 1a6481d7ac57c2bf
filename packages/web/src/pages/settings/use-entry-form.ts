import { useEffect, useRef, useState } from 'react';
import type { FieldProblem } from './fields.tsx';
import { fieldProblem } from './fields.tsx';
import { readSettingsAgain } from './save.ts';

/** A form for an entry: its fields, what is wrong with them, and saving. */
export function useEntryForm<Form>(initial: Form, fields: readonly string[], onClose: () => void) {
  const [form, setForm] = useState(initial);
  const [problem, setProblem] = useState<FieldProblem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const formRef = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    if (problem !== null) formRef.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  const save = async (write: (form: Form) => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await write(form);
      await readSettingsAgain();
      onClose();
    } catch (error) {
      setProblem(fieldProblem(error, fields));
    } finally {
      setBusy(false);
    }
  };
  return {
    form,
    change: (changed: Partial<Form>) => setForm({ ...form, ...changed }),
    problemOf: (field: string): string | null => (problem?.field === field ? problem.message : null),
    /** What is wrong with none of the fields in particular. */
    general: problem !== null && problem.field === null ? problem.message : null,
    formRef,
    isBusy,
    save,
  };
}
