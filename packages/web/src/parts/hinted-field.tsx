import type { ReactNode } from 'react';
import { useId } from 'react';

interface HintedFieldProps {
  readonly label: string;
  readonly hint: string | undefined;
  /** The control, described by the hint: as part of its label, the hint would be read aloud as its name. */
  readonly children: (described: { readonly 'aria-describedby'?: string }) => ReactNode;
}

/** A field with a sentence below it. */
export function HintedField({ label, hint, children }: HintedFieldProps) {
  const id = useId();
  return (
    <div className="field-stack">
      <label className="field">
        <span>{label}</span>
        {children(hint === undefined ? {} : { 'aria-describedby': id })}
      </label>
      {hint === undefined ? null : (
        <small className="field-hint" id={id}>
          {hint}
        </small>
      )}
    </div>
  );
}
